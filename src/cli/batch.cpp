#include "cli/batch.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "cli/common.hpp"
#include "cli/progress.hpp"
#include "server/api/openai_chat.hpp"
#include "server/api/openai_completions.hpp"

namespace godwit {
namespace {

struct FileLine {
    size_t index = 0;  // in the file, blank lines counted
    std::string text;
};

/// Without the blank ones.
std::vector<FileLine> split_lines(const std::string& text) {
    std::vector<FileLine> lines;
    size_t index = 0;
    for (size_t begin = 0; begin < text.size(); ++index) {
        size_t end = std::min(text.find('\n', begin), text.size());
        if (text.find_first_not_of(" \t\r", begin) < end) lines.push_back({index, text.substr(begin, end - begin)});
        begin = end + 1;
    }
    return lines;
}

/// Tells the thread that reads events that some have come.
class Bell {
public:
    void ring() {
        std::lock_guard lock(mutex_);
        rung_ = true;
        changed_.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return rung_; });
        rung_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool rung_ = false;
};

Result<api::TextRequest> read_line(const FileLine& line, const api::RequestContext& context) {
    Json body = TRY(parse_json(line.text, {}, static_cast<int64_t>(line.index) + 1));
    if (!body.is_object()) return error("line {}: expected a JSON object", line.index + 1);
    api::Fields fields(body);
    if (fields.has("prompt") == fields.has("messages")) return error("prompt or messages: give one of them");
    auto request = fields.has("prompt") ? read_completions(fields, context) : read_chat(fields, context);
    if (!request.ok()) return Error{request.error().message};
    if (request.value().encoder->streams()) return error("stream: a line is answered as a whole");
    return std::move(request).take();
}

/// What an answer of the API says of one choice: text and finish, and logprobs where they were asked for.
Json choice_json(const Json& choice) {
    bool chat = choice.contains("message");
    Json told = {{"text", chat ? choice["message"]["content"] : choice["text"]}, {"finish", choice["finish_reason"]}};
    if (!choice["logprobs"].is_null()) told["logprobs"] = choice["logprobs"];
    return told;
}

/// A line that is being answered.
class Answering {
public:
    Answering(const FileLine& line, EngineImpl& engine, const GenerateRequest& defaults,
              const std::shared_ptr<Bell>& bell)
        : index_(line.index) {
        Result<void> begun = begin(line, engine, defaults, bell);
        if (!begun.ok()) fail(begun.error().message);
    }

    /// Takes the events that have come.
    void drain() {
        Event event;
        for (size_t i = 0; i < prompts_.size(); ++i)
            while (error_.empty() && prompts_[i].try_next(event)) {
                bool finished = event.kind == Event::Kind::Finish;
                unfinished_ -= finished;
                usage_.count(event);
                encoder_->event(i, event);
                if (finished && (event.reason == FinishReason::Failed || event.reason == FinishReason::Cancelled))
                    fail(event.error.empty() ? "cancelled" : event.error);
            }
    }
    bool finished() const { return unfinished_ == 0; }
    bool failed() const { return !error_.empty(); }
    int64_t tokens() const { return usage_.output_tokens; }

    /// The line of output, once it is finished.
    Json json() const {
        if (failed()) return {{"index", index_}, {"error", error_}};
        const Json whole = encoder_->whole(usage_);
        Json choices = Json::array();
        for (const Json& choice : whole["choices"]) choices.push_back(choice_json(choice));
        Json line = {{"index", index_}};
        line.update(choices.front());
        line["usage"] = {{"prompt_tokens", usage_.prompt_tokens}, {"completion_tokens", usage_.output_tokens}};
        if (choices.size() > 1) line["choices"] = std::move(choices);
        return line;
    }

private:
    Result<void> begin(const FileLine& line, EngineImpl& engine, const GenerateRequest& defaults,
                       const std::shared_ptr<Bell>& bell) {
        api::TextRequest request = TRY(read_line(line, {engine, "", defaults}));
        encoder_ = std::move(request.encoder);
        for (GenerateRequest& prompt : request.prompts) {
            unfinished_ += prompt.choices;
            prompt.wake = [bell] { bell->ring(); };
            prompts_.push_back(TRY(engine.submit(std::move(prompt))));
        }
        return done();
    }
    void fail(const std::string& error) {
        error_ = error;
        unfinished_ = 0;
        prompts_.clear();
    }

    size_t index_;
    std::unique_ptr<api::Encoder> encoder_;
    std::vector<Generation> prompts_;
    int64_t unfinished_ = 0;  // choices of all prompts
    api::Usage usage_;
    std::string error_;
};

}  // namespace

Result<int> run_batch(EngineImpl& engine, const BatchOptions& options) {
    const std::vector<FileLine> lines = split_lines(TRY(read_text(options.file)));
    Progress progress("batch");
    auto bell = std::make_shared<Bell>();  // the engine may ring it later than the last line is answered
    std::deque<Answering> ahead;           // submitted, oldest first: enough to keep the engine busy
    size_t submitted = 0, answered = 0, failed = 0;
    int64_t tokens = 0;
    while (answered < lines.size()) {
        for (; submitted < lines.size() && ahead.size() < static_cast<size_t>(2 * options.parallel); ++submitted)
            ahead.emplace_back(lines[submitted], engine, options.defaults, bell);
        for (Answering& line : ahead) line.drain();
        if (!ahead.front().finished()) {
            bell->wait();
            continue;
        }
        print_json(ahead.front().json());
        failed += ahead.front().failed();
        tokens += ahead.front().tokens();
        ahead.pop_front();
        progress.update(static_cast<int64_t>(++answered), static_cast<int64_t>(lines.size()),
                        fmt::format("{} tokens", tokens));
    }
    progress.finish();
    if (options.quiet) return failed == 0 ? 0 : 1;
    EngineStats stats = engine.stats();
    double seconds = stats.compute_seconds + stats.sampling_seconds + stats.bookkeeping_seconds;
    fmt::print(stderr, "[{} answers, {} failed; {} tokens, {:.1f} tokens/s; {}]\n", lines.size(), failed, tokens,
               seconds > 0 ? static_cast<double>(tokens) / seconds : 0, options.how);
    return failed == 0 ? 0 : 1;
}

}  // namespace godwit
