// Godwit in a C++ program: open a model, submit prompts from any thread, read what comes.
//
//     auto runtime = godwit::Runtime::make({});
//     auto engine = godwit::Engine::open(runtime, {.model = "model.gguf"});
//     auto answer = engine.value()->submit({.prompt = "The capital of France is", .tokens_max = 16});
//     for (godwit::Event event; answer.value().next(event);) std::cout << event.text;
//
// Every answer has the bits it would have alone, however many share the engine's steps.
#pragma once

#include <functional>
#include <memory>

#include "godwit/types.hpp"

namespace godwit {

struct RuntimeOptions {
    int threads = 0;            // that compute, the caller's included; 0: all cores this process may use
    uint64_t memory_bytes = 0;  // for all engines together; 0: no limit
};

/// What engines of one process share: threads to compute with, and a memory budget. Thread-safe.
class Runtime {
public:
    static std::shared_ptr<Runtime> make(const RuntimeOptions& options);
    virtual ~Runtime() = default;
    virtual int threads() const = 0;
};

struct EngineOptions {
    std::string model{};      // path of a GGUF file
    int64_t context = 0;      // tokens of one sequence, at most the model's; 0: the model's, at most 8192
    int64_t sequences = 8;    // that run at once, 1 … 1024
    int64_t step_rows = 128;  // tokens of one step, all sequences together; raised to sequences + 1 if less
    KvFormat kv = KvFormat::F16;
    uint64_t kv_bytes = 0;  // of the cache; 0: a full context for every sequence, or what the budget leaves
    /// While it loads: bytes of weights that are in place, and of all. Called on the thread of open().
    std::function<void(uint64_t done, uint64_t total)> progress{};
};

/// What an engine takes, as planned before it is loaded: to the byte what it allocates, and what the tokenizer and the
/// program itself take by experience.
struct MemoryPlan {
    int64_t context = 0, sequences = 0;
    uint64_t weights = 0;  // bytes, as the backend lays them out
    uint64_t kv = 0;
    uint64_t activations = 0;  // of the longest step, its integers and the host's copy of the logits included
    uint64_t tokenizer = 0;
    uint64_t program = 0;
    std::vector<int64_t> pool_blocks{};  // of the KV cache, for each kind of layer that caches alike

    uint64_t total() const { return weights + kv + activations + tokenizer + program; }
};

/// Since the engine began.
struct EngineStats {
    int64_t steps = 0, rows = 0;  // rows: tokens computed
    int64_t prompt_tokens = 0, generated_tokens = 0;
    int64_t preemptions = 0;
    int64_t running = 0, waiting = 0;  // sequences now
    double cache_share = 0;            // of the cache's blocks that sequences hold now, in the fullest group
    double step_seconds = 0;           // since the step in work began; 0: none is
    double bookkeeping_seconds = 0;    // plan, pack and commit
    double compute_seconds = 0;        // forward
    double sampling_seconds = 0;
};

/// The answers to one request. Movable; destroying it cancels what is not finished.
/// One thread reads; cancel() may come from any.
class Generation {
public:
    Generation(Generation&&) noexcept;
    Generation& operator=(Generation&&) noexcept;
    ~Generation();

    /// Waits for the next event. False: every choice has finished, and nothing will come.
    bool next(Event& event);
    /// The same without waiting. False: there is none now.
    bool try_next(Event& event);
    /// The answers end within one step, with FinishReason::Cancelled.
    void cancel();

private:
    friend class EngineImpl;
    struct State;
    explicit Generation(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

/// A loaded model that works on many requests at once, on a thread of its own. All calls are thread-safe.
class Engine {
public:
    /// Validates the model as a whole, plans the memory, takes it from the runtime's budget, loads, starts.
    /// Errors: the model's fault in one line; what the plan needs and what the budget has.
    static Result<std::unique_ptr<Engine>> open(std::shared_ptr<Runtime> runtime, const EngineOptions& options);

    /// Cancels what is unfinished; every Generation gets its Finish event. Waits for the step in work.
    virtual ~Engine() = default;

    /// Errors: an empty prompt, one that does not fit the context or the cache, parameters out of range.
    virtual Result<Generation> submit(GenerateRequest request) = 0;

    virtual MemoryPlan memory() const = 0;
    /// Which backend computes, with which kernels: "cpu (avx512)".
    virtual std::string backend() const = 0;
    /// Tokens of a text as submit() makes them of a prompt, BOS included.
    virtual std::vector<TokenId> tokenize(const std::string& text) const = 0;
    virtual EngineStats stats() const = 0;
};

}  // namespace godwit
