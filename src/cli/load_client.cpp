#include "cli/load_client.hpp"

#include <nlohmann/json.hpp>

#include "base/printable.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

constexpr size_t kLineMax = size_t{16} << 20;     // of a stream, and of an answer that is none
constexpr size_t kFailureMax = size_t{64} << 10;  // of the body of a refusal
constexpr size_t kReasonBytes = 200;              // of it that a person is shown

void set_up(CURL* easy, CurlList& headers, const LoadTarget& target, const std::string& url) {
    append(headers, "Content-Type: application/json");
    append(headers, "Expect:");  // no round trip before a long prompt
    if (!target.api_key.empty()) append(headers, ("Authorization: Bearer " + target.api_key).c_str());
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);  // a connection for each
}

/// The text of an error in OpenAI's form, or the beginning of whatever came.
std::string failure_text(std::string_view body) {
    Result<Json> json = parse_json(body);
    if (json.ok() && json.value().is_object()) {
        const Json& answer = json.value();
        const Json& fault = answer.contains("error") ? answer["error"] : answer;
        if (fault.is_string()) return printable(fault.get_ref<const std::string&>(), kReasonBytes);
        if (fault.is_object() && fault.contains("message") && fault["message"].is_string())
            return printable(fault["message"].get_ref<const std::string&>(), kReasonBytes);
    }
    return printable(body, kReasonBytes);
}

std::string status_text(long status, std::string_view body) {
    std::string text = failure_text(body);
    return fmt::format("HTTP {}{}{}", status, text.empty() ? "" : ": ", text);
}

size_t append_to(char* data, size_t size, size_t count, void* text) {
    auto& whole = *static_cast<std::string*>(text);
    if (whole.size() + size * count > kLineMax) return 0;
    whole.append(data, size * count);
    return size * count;
}

int64_t integer(const Json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

bool has_text(const Json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && found->is_string() && !found->get_ref<const std::string&>().empty();
}

bool is_set(const Json& object, const char* name) {
    auto found = object.find(name);
    return found != object.end() && !found->is_null();
}

/// Whether a choice stands for a token. Bytes of an unfinished character give an event without text, and so do the
/// opening of a chat message and, with many servers, the end: those two are no tokens.
bool is_token(const Json& choice) {
    auto delta = choice.find("delta");
    if (delta == choice.end() || !delta->is_object())
        return has_text(choice, "text") || !is_set(choice, "finish_reason");
    if (has_text(*delta, "content") || has_text(*delta, "reasoning_content") || has_text(*delta, "reasoning"))
        return true;
    return !is_set(*delta, "role") && !is_set(choice, "finish_reason");
}

Json request_body(const LoadTarget& target, const std::string& prompt, int64_t output_tokens) {
    Json body{{"model", target.model}};
    if (target.chat) body["messages"] = Json::array({{{"role", "user"}, {"content", prompt}}});
    else body["prompt"] = prompt;
    body["max_tokens"] = output_tokens;
    body["temperature"] = 0;
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    if (target.ignore_eos) body["ignore_eos"] = true;
    return body;
}

}  // namespace

double load_clock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<std::string> load_target_base(std::string url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return error("--url: '{}' is not http://HOST:PORT or https://…", printable(url));
    while (url.ends_with('/')) url.pop_back();
    return url.ends_with("/v1") ? url : url + "/v1";
}

Result<std::string> first_model(const LoadTarget& target) {
    CurlEasy easy = make_curl_easy();
    CurlList headers;
    std::string url = target.base + "/models", body;
    char reason[CURL_ERROR_SIZE] = "";
    set_up(easy.get(), headers, target, url);
    curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, append_to);
    curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &body);
    CURLcode code = curl_easy_perform(easy.get());
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        return error("{}: {}", printable(url, 200), reason[0] != 0 ? reason : curl_easy_strerror(code));
    if (status != 200) return error("{}: {}", printable(url, 200), status_text(status, body));
    Result<Json> json = parse_json(body);
    if (json.ok() && json.value().is_object() && json.value().contains("data")) {
        const Json& data = json.value()["data"];
        if (data.is_array() && !data.empty() && data[0].is_object() && has_text(data[0], "id"))
            return data[0]["id"].get<std::string>();
    }
    return error("{}: this names no model (name one with --model)", printable(url, 200));
}

LoadRequest::LoadRequest(const LoadTarget& target, const std::string& prompt, int64_t output_tokens)
    : easy_(make_curl_easy()), body_(json_text(request_body(target, prompt, output_tokens))) {
    CURL* easy = easy_.get();
    set_up(easy, headers_, target, target.base + (target.chat ? "/chat/completions" : "/completions"));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body_.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason_);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
}

void LoadRequest::begin() { record_.start = load_clock(); }

size_t LoadRequest::on_body(char* data, size_t size, size_t count, void* self) {
    LoadRequest& request = *static_cast<LoadRequest*>(self);
    double now = load_clock();
    std::string_view rest(data, size * count);
    while (!rest.empty()) {
        size_t end = rest.find('\n');
        request.line_ += rest.substr(0, end);
        if (request.line_.size() > kLineMax) return 0;
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
        if (request.line_.ends_with('\r')) request.line_.pop_back();
        request.read_line(request.line_, now);
        request.line_.clear();
    }
    return size * count;
}

void LoadRequest::read_line(std::string_view line, double now) {
    constexpr std::string_view kData = "data:";
    if (line.starts_with(kData)) {
        line.remove_prefix(kData.size());
        if (line.starts_with(' ')) line.remove_prefix(1);
        read_event(line, now);
    } else if (failure_.size() < kFailureMax && !line.starts_with(':') && !line.starts_with("event:")) {
        failure_ += line;  // no stream: the text of a failure
    }
}

void LoadRequest::read_event(std::string_view data, double now) {
    if (data == "[DONE]") {
        finished_ = true;
        return;
    }
    Result<Json> json = parse_json(data);
    if (!json.ok() || !json.value().is_object()) {
        if (record_.failure.empty())
            record_.failure = fmt::format("an event that is no JSON object: {}", printable(data, kReasonBytes));
        return;
    }
    const Json& event = json.value();
    if (is_set(event, "error")) record_.failure = failure_text(data);
    if (auto usage = event.find("usage"); usage != event.end() && usage->is_object()) {
        record_.prompt_tokens = integer(*usage, "prompt_tokens");
        record_.output_tokens = integer(*usage, "completion_tokens");
    }
    auto choices = event.find("choices");
    if (choices == event.end() || !choices->is_array() || choices->empty() || !(*choices)[0].is_object()) return;
    const Json& choice = (*choices)[0];
    last_ = now;
    if (is_token(choice)) record_.tokens.push_back(now);
    if (is_set(choice, "finish_reason")) finished_ = true;
}

RequestRecord LoadRequest::finish(CURLcode code) {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (!line_.empty()) read_line(line_, load_clock());
    if (code != CURLE_OK)
        record_.failure = printable(reason_[0] != 0 ? reason_ : curl_easy_strerror(code), kReasonBytes);
    else if (status != 200) record_.failure = status_text(status, failure_);
    if (!record_.failure.empty()) return std::move(record_);

    if (record_.tokens.empty() && record_.output_tokens > 0)
        record_.tokens.push_back(last_);  // its one token had no text
    if (record_.tokens.empty()) record_.failure = "the answer has no token";
    if (!finished_) record_.failure = "the stream ended early";
    if (record_.output_tokens == 0) record_.output_tokens = static_cast<int64_t>(record_.tokens.size());
    return std::move(record_);
}

}  // namespace godwit
