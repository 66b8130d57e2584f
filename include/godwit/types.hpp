// The vocabulary of Godwit's public interface: results, sampling parameters, requests and events. No third-party types.
// All members of what callers fill in have initialisers ({} too): a designated one then leaves out the rest without a
// warning.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace godwit {

/// What went wrong, in one line for a person: `where: what (fix)`.
struct Error {
    std::string message;
};

/// A value, or what went wrong. A value type: as thread-safe as T.
template <class T, class E = Error>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    const T& value() const& { return std::get<0>(state_); }
    T& value() & { return std::get<0>(state_); }
    T take() && { return std::get<0>(std::move(state_)); }
    const E& error() const& { return std::get<1>(state_); }
    E error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
public:
    Result() = default;
    Result(E error) : error_(std::move(error)) {}  // NOLINT: implicit by design

    bool ok() const { return !error_; }
    void take() && {}
    const E& error() const& { return *error_; }
    E error() && { return *std::move(error_); }

private:
    std::optional<E> error_;
};

using TokenId = int32_t;

/// How keys and values are stored. F32 is for oracles.
enum class KvFormat : uint8_t { F32, F16 };

/// How tokens are chosen, in the order in which the members act. The defaults are those of the command line and the
/// server where a model's file recommends nothing. Temperature 1 and top_k 0, top_p 1, min_p 0 is the raw model: the
/// token is drawn from softmax(logits).
struct SamplingParams {
    /// (token, bias): added to the logit; clamped to -100 … 100. A token named twice gets both.
    std::vector<std::pair<TokenId, float>> logit_bias{};
    /// Tokens of prompt and output: logits > 0 are divided by it, others multiplied. 0.01 … 100, 1 is off.
    float repetition_penalty = 1;
    /// Subtracted from the logit once for each time that the token is in the output. -2 … 2.
    float frequency_penalty = 0;
    /// Subtracted once from the logits of all tokens of the output. -2 … 2.
    float presence_penalty = 0;
    /// Divides the logits. 0 … 100; 0 is greedy: the largest logit, the lowest id among equal ones.
    float temperature = 0.8f;
    /// The k most probable tokens stay; among equal ones at the cut those with the lowest ids. 0 is off.
    int32_t top_k = 40;
    /// The fewest most probable tokens stay whose probabilities add up to top_p; at least one. 0 … 1, 1 is off.
    float top_p = 0.95f;
    /// Tokens stay that are at least min_p times as probable as the most probable one. 0 … 1, 0 is off.
    float min_p = 0.05f;
    uint64_t seed = 0;
    /// How many of the most probable tokens to report with their logprobs. -1: none, nor the chosen one's.
    int32_t top_logprobs = -1;
};

struct TokenLogprob {
    TokenId token;
    float logprob;
};

/// The most answers to one prompt.
inline constexpr int32_t kChoicesMax = 128;

/// One prompt and how to continue it.
struct GenerateRequest {
    /// Text: control tokens in it count. Or `tokens`, taken as they are where there are any; a BOS is added to text
    /// only.
    std::string prompt{};
    std::vector<TokenId> tokens{};
    /// At most this many new tokens; -1: what fits into the context.
    int64_t tokens_max = -1;
    /// Parallel answers to the prompt, 1 … kChoicesMax. They share its cache blocks and differ in the `choice` of the
    /// generator.
    int32_t choices = 1;
    /// Higher goes first; equal ones in the order of submission.
    int32_t priority = 0;
    /// Texts before which an answer ends.
    std::vector<std::string> stops{};
    /// The model's end token is a token like others, and the answer goes on (to measure speed).
    bool ignore_end = false;
    /// Prompt events too: the log-softmax of every token of the prompt but the first, given those before it. Computes
    /// logits of all its rows.
    bool prompt_logprobs = false;
    SamplingParams sampling{};
    /// Called when an event has come and none was waiting: whoever then reads with try_next() until it is false misses
    /// none, and needs no thread that waits. On the engine's thread; must return at once and not call the engine.
    std::function<void()> wake{};
};

enum class FinishReason : uint8_t {
    Stop,       // the model's end token, or a stop text
    Length,     // tokens_max, or the end of the context
    Cancelled,  // by cancel(), by the engine's end, or because nobody read the events
    Failed,     // see Event::error
};

/// What a request gave out; of a choice in order, of several choices mixed.
struct Event {
    enum class Kind : uint8_t {
        Prompt,  // a token of the prompt with its logprob, before all Token events; choice is 0
        Token,
        Finish,
    } kind = Kind::Token;
    int32_t choice = 0;
    TokenId token = -1;  // Prompt, Token: the id; its text may come with a later event. Finish: the end token that was
                         // chosen, which has no text; -1 if the answer ended otherwise
    std::string text;    // what is certain now, whole code points; may be empty. Finish: what was held back
    float logprob = 0;   // of `token`, where SamplingParams::top_logprobs ≥ 0
    std::vector<TokenLogprob> top;
    FinishReason reason = FinishReason::Stop;         // Finish
    std::string error;                                // Finish: what went wrong, if something did
    int64_t prompt_tokens = 0, generated_tokens = 0;  // Finish: of this choice
    double queue_seconds = 0;  // Finish: from submit() to the first step that computed for this request
};

}  // namespace godwit
