// One sequence alone: the definition of what every sequence must compute, however many share its steps (invariant I1).
// It is what `logits` and `perplexity` run on, and what the engine is tested against. One thread at a time.
// Usage:  auto solo = TRY(Solo::make(model, device, settings));  TRY(solo.extend_all(prompt, [](int64_t i, auto logits)
// { … }));
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "cache/store/kv_store.hpp"
#include "engine/memory_plan.hpp"
#include "model/forward.hpp"

namespace godwit {

class Solo {
public:
    /// Takes logits [vocabulary] of the i-th token given to extend(); valid during the call.
    using LogitsSink = FunctionRef<void(int64_t i, std::span<const float> logits)>;

    /// Of the settings context, kv and step count. `model` and `device` must outlive it. Error: out of memory.
    static Result<Solo> make(const Model& model, Device& device, const EngineSettings& settings);

    /// Appends tokens and gives out the logits after every one of them, in order. Errors: a token outside the
    /// vocabulary, more tokens than the context; nothing is computed then.
    Result<void> extend_all(std::span<const TokenId> tokens, LogitsSink sink);
    /// Appends tokens (at least one); the logits after the last of them.
    Result<std::span<const float>> extend(std::span<const TokenId> tokens);
    /// Forgets all tokens.
    void clear() { length_ = 0; }

    int64_t length() const { return length_; }
    int64_t context() const { return context_; }

    /// What extend() would refuse, without computing anything.
    Result<void> check(std::span<const TokenId> tokens) const;

private:
    Solo(const Model& model, Device& device) : model_(model), device_(device) {}
    /// One step. Logits of its last `wanted` rows land in logits_.
    void run(std::span<const TokenId> tokens, int64_t wanted);

    const Model& model_;
    Device& device_;
    int64_t context_ = 0;
    StepLimits limits_;
    std::unique_ptr<KvStore> cache_;
    std::unique_ptr<Activations> activations_;
    std::unique_ptr<Buffer> inputs_;
    Batch batch_;                // views for the longest step
    std::vector<float> logits_;  // [logit_rows, vocabulary]
    int64_t length_ = 0;
};

}  // namespace godwit
