#include "hub/hub_client.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/environment.hpp"
#include "base/first_line.hpp"
#include "base/printable.hpp"
#include "hub/checksum.hpp"
#include "hub/exchange.hpp"
#include "hub/store.hpp"
#include "text/json.hpp"

namespace godwit {
namespace {

constexpr size_t kPageBytesMax = size_t{32} << 20;
constexpr int kPagesMax = 200, kRedirectsMax = 10, kAttempts = 6;

std::string read_token() {
    if (std::string token = environment("HF_TOKEN"); !token.empty()) return token;
    std::string path = environment("HF_TOKEN_PATH"), home = hugging_face_home();
    if (path.empty() && home.empty()) return {};
    return first_line(path.empty() ? home + "/token" : path);
}

/// A path within a URL: all but the unreserved characters and the slashes escaped.
std::string escaped(std::string_view path) {
    std::string out;
    for (char c : path) {
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     std::string_view("-._~/").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::optional<uint64_t> number(std::string_view text) {
    uint64_t value = 0;
    auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The address in `<address>; rel="next"`; empty: this is the last page.
std::string next_page(std::string_view links) {
    for (size_t begin = links.find('<'); begin != links.npos; begin = links.find('<', begin + 1)) {
        size_t end = links.find('>', begin);
        if (end == links.npos) break;
        std::string_view rest = links.substr(end, links.find('<', end) - end);
        if (rest.find("rel=\"next\"") != rest.npos || rest.find("rel=next") != rest.npos)
            return std::string(links.substr(begin + 1, end - begin - 1));
    }
    return {};
}

/// Appends the files of one page.
Result<void> read_page(const std::string& body, const std::string& repo, std::vector<RepoFile>& files) {
    Result<Json> json = parse_json(body);
    if (!json.ok() || !json.value().is_array()) return error("{}: the hub's list of files is no JSON array", repo);
    for (const Json& item : json.value()) {
        if (!item.is_object() || item.value("type", Json()) != "file") continue;
        Json path = item.value("path", Json()), size = item.value("size", Json());
        if (!path.is_string() || !size.is_number_unsigned())
            return error("{}: an entry without path or size in the hub's list of files", repo);
        files.push_back({path.get<std::string>(), size.get<uint64_t>()});
    }
    return done();
}

/// Tries again what failed for now.
template <class Attempt>
Result<void> with_retries(const HubOptions& options, Attempt attempt) {
    for (int tried = 1;; ++tried) {
        FetchEnd end = attempt();
        if (!end.failure) return done();
        if (!wait_to_retry(options, end, tried)) return *end.failure;
    }
}

/// Performs a request whose answer is text of at most kPageBytesMax.
FetchEnd get_text(Exchange& exchange, const std::string& what, std::string& body) {
    exchange.set_body([&](std::span<const char> data) {
        body.append(data.data(), data.size());
        return body.size() <= kPageBytesMax;
    });
    return exchange.perform(what);
}

/// What an answer to HEAD says of a file.
Result<FileFacts> read_facts(const Exchange& exchange, const std::string& what) {
    FileFacts facts;
    facts.commit = exchange.header("x-repo-commit");
    std::string tag = exchange.header("x-linked-etag");
    if (tag.empty()) tag = exchange.header("etag");
    if (tag.starts_with("W/")) tag.erase(0, 2);
    if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
    std::string size = exchange.header("x-linked-size");
    if (size.empty() && exchange.redirect().empty()) size = exchange.header("content-length");
    if (!is_commit(facts.commit)) return error("{}: the hub names no commit (X-Repo-Commit)", what);
    if (!Checksum::is_checksum(tag)) return error("{}: the hub names no checksum (ETag '{}')", what, printable(tag));
    std::optional<uint64_t> bytes = number(size);
    if (!bytes) return error("{}: the hub names no size", what);
    facts.checksum = tag;
    facts.bytes = *bytes;
    return facts;
}

/// The first byte of an answer with a part of a file, if it has all the rest of `bytes` bytes: "bytes 5-9/10".
std::optional<uint64_t> range_begin(std::string_view range, uint64_t bytes) {
    constexpr std::string_view kUnit = "bytes ";
    size_t dash = range.find('-'), slash = range.find('/');
    if (!range.starts_with(kUnit) || dash == range.npos || slash == range.npos || dash > slash) return std::nullopt;
    std::optional<uint64_t> begin = number(range.substr(kUnit.size(), dash - kUnit.size()));
    std::optional<uint64_t> last = number(range.substr(dash + 1, slash - dash - 1)),
                            total = number(range.substr(slash + 1));
    return begin && last && total && *total == bytes && *last + 1 == bytes && *begin <= *last ? begin : std::nullopt;
}

}  // namespace

bool wait_to_retry(const HubOptions& options, const FetchEnd& end, int attempt) {
    if (end.is_final || attempt >= kAttempts) return false;
    options.note(end.failure->message + "; trying again");
    std::this_thread::sleep_for(std::chrono::milliseconds(125) * (1 << attempt));
    return true;
}

Result<HubOptions> HubOptions::from_environment(const std::string& url) {
    HubOptions options{.url = url, .token = read_token(), .note = [](const std::string&) {}};
    if (options.url.empty()) options.url = environment("HF_ENDPOINT");
    if (options.url.empty()) options.url = "https://huggingface.co";
    while (options.url.ends_with('/')) options.url.pop_back();
    bool has_scheme = options.url.starts_with("http://") || options.url.starts_with("https://");
    if (!has_scheme || origin_of(options.url).empty())
        return error("{}: not the address of a hub (https://HOST)", printable(options.url, 200));
    std::string& token = options.token;
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ' || token.back() == '\n')) token.pop_back();
    if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; }))
        return error("HF_TOKEN: the token has blanks or controls in it");
    return options;
}

Result<std::string> HubClient::own_name(const std::string& repo) const {
    std::string body;
    FetchEnd last;
    Result<void> asked = with_retries(options_, [&] {
        body.clear();
        Exchange exchange(options_, fmt::format("{}/api/models/{}", options_.url, repo));
        last = get_text(exchange, repo, body);
        if (last.is_unreached) last.is_final = true;
        return last;
    });
    if (last.is_unreached)
        return error("{} (no network? --hub URL or HF_ENDPOINT names a mirror, https_proxy a proxy)",
                     last.failure->message);
    if (!asked.ok() && !last.is_final) return asked.error();
    Result<Json> json = asked.ok() ? parse_json(body) : error("none");
    if (!json.ok() || !json.value().is_object()) return repo;
    Json id = json.value().value("id", Json());
    if (!id.is_string()) return repo;
    Result<ModelName> name = parse_model_name(id.get<std::string>());
    return name.ok() && name.value().tag.empty() ? name.value().repo : repo;
}

Result<std::vector<RepoFile>> HubClient::list_files(const std::string& repo, const std::string& revision) const {
    std::vector<RepoFile> files;
    std::string url = fmt::format("{}/api/models/{}/tree/{}?recursive=1", options_.url, repo, escaped(revision));
    for (int page = 0; !url.empty(); ++page) {
        if (page == kPagesMax) return error("{}: more than {} pages of files", repo, kPagesMax);
        std::string body, links;
        TRY(with_retries(options_, [&] {
            body.clear();
            Exchange exchange(options_, url);
            FetchEnd end = get_text(exchange, repo, body);
            links = exchange.header("link");
            return end;
        }));
        TRY(read_page(body, repo, files));
        url = next_page(links);
        if (!url.empty() && origin_of(url) != origin_of(options_.url))
            return error("{}: the hub's list of files goes on at another host, {}", repo, printable(url, 200));
    }
    return files;
}

Result<FileFacts> HubClient::look_up(const std::string& repo, const std::string& revision,
                                     const std::string& path) const {
    std::string what = fmt::format("{}/{}", repo, path);
    std::string url = fmt::format("{}/{}/resolve/{}/{}", options_.url, repo, escaped(revision), escaped(path));
    for (int redirects = 0; redirects <= kRedirectsMax; ++redirects) {
        std::optional<Result<FileFacts>> facts;
        std::string redirect;
        TRY(with_retries(options_, [&] {
            Exchange exchange(options_, url);
            exchange.set_head();
            FetchEnd end = exchange.perform(what);
            redirect = exchange.redirect();
            facts = read_facts(exchange, what);
            return end;
        }));
        // The hub's own answer describes the file, and may send us to where its bytes are. A repository that has moved
        // within the hub answers with a redirect alone.
        if (facts->ok() || redirect.empty()) return std::move(*facts);
        if (origin_of(redirect) != origin_of(options_.url)) return std::move(*facts);
        url = redirect;
    }
    return error("{}: more than {} redirects", what, kRedirectsMax);
}

FetchEnd HubClient::fetch(const std::string& repo, const FileFacts& facts, const std::string& path, uint64_t from,
                          const FetchSink& sink) const {
    std::string what = fmt::format("{}/{}", repo, path);
    Exchange exchange(options_, fmt::format("{}/{}/resolve/{}/{}", options_.url, repo, facts.commit, escaped(path)));
    if (from > 0) exchange.set_range_from(from);
    uint64_t at = 0;
    bool has_begun = false;
    std::optional<Error> failure;
    auto begin = [&]() -> Result<void> {
        has_begun = true;
        if (exchange.status() == 206) {
            std::optional<uint64_t> first = range_begin(exchange.header("content-range"), facts.bytes);
            if (!first || *first != from)
                return error("{}: wrong part of the file: '{}'", what, printable(exchange.header("content-range")));
            at = from;
        } else if (std::string length = exchange.header("content-length");
                   !length.empty() && number(length) != facts.bytes) {
            return error("{}: {} bytes come, but the hub says {}", what, printable(length), facts.bytes);
        }
        return sink.begin(at);
    };
    exchange.set_body([&](std::span<const char> data) {
        Result<void> result = has_begun ? done() : begin();
        if (result.ok() && data.size() > facts.bytes - at)
            result = error("{}: more than the {} bytes that the hub says", what, facts.bytes);
        if (result.ok()) result = sink.write(data);
        at += data.size();
        if (!result.ok()) failure = std::move(result).error();
        return !failure;
    });
    FetchEnd end = exchange.perform(what);
    if (failure) return {std::move(failure), true};
    if (!end.failure && at != facts.bytes) return {error("{}: {} of {} bytes came", what, at, facts.bytes), false};
    return end;
}

}  // namespace godwit
