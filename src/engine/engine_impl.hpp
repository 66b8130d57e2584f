// The engine behind godwit/engine.hpp. One thread of its own does all the work, step by step:
// take → plan → pack → forward → sample → commit. Other threads only put requests into the inbox and read events.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cache/store/kv_store.hpp"
#include "engine/generation.hpp"
#include "engine/memory_plan.hpp"
#include "engine/runtime.hpp"
#include "engine/step_inputs.hpp"
#include "model/model.hpp"
#include "sample/sampler.hpp"
#include "schedule/scheduler.hpp"
#include "text/stream_decoder.hpp"

namespace godwit {

class EngineImpl final : public Engine {
public:
    /// Everything but the thread: until start(), whoever calls step() is the engine's thread. Tests drive it so, step
    /// by step.
    static Result<std::unique_ptr<EngineImpl>> make(std::shared_ptr<Runtime> runtime, const EngineOptions& options);
    ~EngineImpl() override;
    void start();
    /// One step. False: there is nothing to do until something is submitted.
    bool step();
    /// For tests, set before the first step: every row of logits that tokens are drawn from, and the tokens that it
    /// follows from.
    std::function<void(std::span<const TokenId> tokens, std::span<const float> logits)> on_logits;

    /// For tests.
    const KvStore& cache() const { return *cache_; }

    const Model& model() const { return *model_; }

    Result<Generation> submit(GenerateRequest request) override;
    MemoryPlan memory() const override { return memory_; }
    std::string backend() const override { return std::string(device_->name()); }
    std::vector<TokenId> tokenize(const std::string& text) const override;
    EngineStats stats() const override;

private:
    using State = std::shared_ptr<Generation::State>;

    /// A request between submit() and its first step.
    struct Submitted {
        GenerateRequest request;  // tokens filled in
        State state;
        std::chrono::steady_clock::time_point at;
    };

    /// One choice of a request, while it is worked on.
    struct Answer {
        State state;
        Sampler sampler;
        StreamDecoder decoder;
        int32_t choice = 0;
        int32_t unsplit = 0;  // further choices that branch off at the first token
        int64_t prompt_tokens = 0;
        int64_t tokens_max = 0;
        bool ignore_end = false;
        int64_t generated = 0;
        std::chrono::steady_clock::time_point submitted{}, started{};  // started: zero until a step computes for it
    };

    EngineImpl() = default;
    Result<void> set_up(const EngineOptions& options);
    Result<std::vector<TokenId>> prompt_tokens(const GenerateRequest& request) const;

    // The engine's thread.
    void run();
    void take();
    void begin(Submitted& submitted);
    void end_cancelled();
    void end_failed(const FailedSequence& failed);
    void prepare_blocks();
    void mark_started(std::chrono::steady_clock::time_point now);
    void sample_all(std::span<const float> logits);
    bool score_prompt(const ScheduledRows& rows, std::span<const float> logits);
    void split(SequenceId id, std::span<const float> logits);
    void sample_one(SequenceId id, std::span<const float> logits);
    void emit(SequenceId id, Answer& answer, const Sample& sample);
    void end_unread(SequenceId id);
    /// `end`: the end token, if that is the reason.
    void finish(SequenceId id, FinishReason reason, std::string_view error = {}, const Sample* end = nullptr);
    void publish_finish(Answer& answer, FinishReason reason, std::string_view error, const Sample* end = nullptr);
    void end_all();
    void publish_stats();

    std::shared_ptr<RuntimeImpl> runtime_;
    std::unique_ptr<RuntimeImpl::Reservation> reservation_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Model> model_;
    MemoryPlan memory_;
    std::unique_ptr<KvStore> cache_;
    std::unique_ptr<Activations> activations_;
    std::unique_ptr<StepInputs> inputs_;
    std::vector<BlockPool> pools_;
    std::unique_ptr<Scheduler> scheduler_;

    std::unordered_map<SequenceId, Answer> answers_;
    std::vector<SequenceId> cancelled_;
    StepPlan plan_;
    std::vector<float> logits_;  // [logit rows, vocabulary]
    SampleScratch scratch_;
    std::chrono::steady_clock::duration sampling_{};  // in this step
    EngineStats counted_;

    std::mutex mutex_;  // guards inbox_ and stop_
    std::condition_variable wake_;
    std::vector<Submitted> inbox_, taken_;
    bool stop_ = false;
    mutable std::mutex stats_mutex_;
    EngineStats stats_;
    std::atomic<std::chrono::steady_clock::time_point> step_began_{};  // zero between steps
    std::thread thread_;                                               // last: started when all else stands
};

}  // namespace godwit
