#include "engine/engine_impl.hpp"

#include <algorithm>
#include <chrono>

#include "base/float_mode.hpp"

namespace godwit {
namespace {

constexpr int64_t kSequencesMax = 1024;
constexpr int64_t kStepRowsMax = 8192;
constexpr size_t kStopBytesMax = 8192;  // of a request's stop texts: every choice looks for them

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

void fill_in(Event& event, const Sample& sample) {
    event.token = sample.token;
    event.logprob = sample.logprob;
    event.top.assign(sample.top.begin(), sample.top.end());
}

/// Without a size for the cache: what the budget leaves, if that is less than a full context for every sequence.
Result<MemoryPlan> plan_within(const RuntimeImpl& runtime, const CheckedModel& model, const Device& device,
                               EngineSettings settings) {
    MemoryPlan memory = TRY(plan_memory(model.file, model.plan, device, settings));
    uint64_t rest = memory.total() - memory.kv, available = runtime.available();
    if (settings.kv_bytes > 0 || memory.total() <= available || rest >= available) return memory;
    settings.kv_bytes = available - rest;
    Result<MemoryPlan> smaller = plan_memory(model.file, model.plan, device, settings);
    if (!smaller.ok()) return error("the memory budget has {} bytes left: {}", available, smaller.error().message);
    return smaller;
}

}  // namespace

Result<std::unique_ptr<EngineImpl>> EngineImpl::make(std::shared_ptr<Runtime> runtime, const EngineOptions& options) {
    const DefaultFloatMode mode;
    if (options.sequences < 1 || options.sequences > kSequencesMax)
        return error("sequences: {} is out of range (1 to {})", options.sequences, kSequencesMax);
    if (options.step_rows < 1 || options.step_rows > kStepRowsMax)
        return error("step_rows: {} is out of range (1 to {})", options.step_rows, kStepRowsMax);
    if (options.context < 0) return error("context: {} is negative", options.context);
    std::unique_ptr<EngineImpl> engine(new EngineImpl);
    engine->runtime_ = std::static_pointer_cast<RuntimeImpl>(std::move(runtime));
    TRY(engine->set_up(options));
    return engine;
}

Result<void> EngineImpl::set_up(const EngineOptions& options) {
    device_ = TRY(make_device(runtime_->pool()));
    CheckedModel checked = TRY(check_model(options.model, *device_));
    EngineSettings settings = engine_settings(options);
    memory_ = TRY(plan_within(*runtime_, checked, *device_, settings));
    reservation_ = TRY(runtime_->reserve(memory_.total()));
    model_ = TRY(Model::load(std::move(checked), *device_, options.progress));

    const CacheSpec& cache = model_->plan.cache;
    cache_ = std::make_unique<KvStore>(TRY(KvStore::make(*device_, cache, settings.kv, memory_.pool_blocks)));
    activations_ = std::make_unique<Activations>(TRY(Activations::make(*device_, model_->plan, settings.step)));
    inputs_ = std::make_unique<StepInputs>(TRY(StepInputs::make(*device_, cache, memory_, settings.step)));
    logits_.resize(settings.step.logit_rows * model_->plan.vocabulary);

    std::vector<ScheduleGroup> groups;
    pools_.reserve(cache.groups.size());
    for (size_t g = 0; g < cache.groups.size(); ++g) {
        pools_.emplace_back(static_cast<int32_t>(memory_.pool_blocks[g]));
        groups.push_back({.pool = &pools_[g], .block_tokens = kBlockTokens, .window = cache.groups[g].window});
    }
    ScheduleLimits limits{.context = memory_.context,
                          .step_rows = settings.step.rows,
                          .logit_rows_max = settings.step.logit_rows,
                          .sequences_max = memory_.sequences};
    scheduler_ = std::make_unique<Scheduler>(limits, std::move(groups));
    return done();
}

EngineImpl::~EngineImpl() {
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    else if (scheduler_) end_all();
}

EngineStats EngineImpl::stats() const {
    EngineStats stats;
    {
        std::lock_guard lock(stats_mutex_);
        stats = stats_;
    }
    Clock::time_point began = step_began_.load();
    if (began != Clock::time_point()) stats.step_seconds = seconds(Clock::now() - began);
    return stats;
}

// ---- any thread: submit

std::vector<TokenId> EngineImpl::tokenize(const std::string& text) const {
    const Tokenizer& tokenizer = *model_->tokenizer;
    std::vector<TokenId> tokens = tokenizer.encode(text, Specials::All);
    const std::vector<TokenId>& prefix = tokenizer.prefix();
    bool has_it = tokens.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
    if (!has_it) tokens.insert(tokens.begin(), prefix.begin(), prefix.end());
    return tokens;
}

Result<std::vector<TokenId>> EngineImpl::prompt_tokens(const GenerateRequest& request) const {
    std::vector<TokenId> tokens = request.tokens.empty() ? tokenize(request.prompt) : request.tokens;
    if (tokens.empty()) return error("prompt: it is empty");
    TRY(model_->tokenizer->check(tokens));
    auto count = static_cast<int64_t>(tokens.size());
    if (count >= memory_.context)
        return error("prompt: it has {} tokens, the context only {} (the model's own is {})", count, memory_.context,
                     model_->plan.context);
    return tokens;
}

Result<Generation> EngineImpl::submit(GenerateRequest request) {
    request.tokens = TRY(prompt_tokens(request));
    TRY(validate(request.sampling, static_cast<int32_t>(model_->plan.vocabulary)));
    if (request.choices < 1 || request.choices > kChoicesMax)
        return error("choices: {} is out of range (1 to {})", request.choices, kChoicesMax);
    if (request.tokens_max < -1) return error("tokens_max: {} is negative", request.tokens_max);
    size_t stop_bytes = 0;
    for (const std::string& stop : request.stops) stop_bytes += stop.size() + 1;
    if (stop_bytes > kStopBytesMax) return error("stops: {} bytes in all (at most {})", stop_bytes, kStopBytesMax);
    int64_t room = memory_.context - static_cast<int64_t>(request.tokens.size());
    request.tokens_max = request.tokens_max < 0 ? room : std::min(request.tokens_max, room);
    auto state = std::make_shared<Generation::State>(request.choices, std::move(request.wake));
    {
        std::lock_guard lock(mutex_);
        inbox_.push_back({std::move(request), state, Clock::now()});
    }
    wake_.notify_one();
    return Generation(std::move(state));
}

// ---- the engine's thread

void EngineImpl::start() {
    thread_ = std::thread([this] { run(); });
}

void EngineImpl::run() {
    const DefaultFloatMode mode;
    std::unique_lock lock(mutex_);
    while (!stop_) {
        lock.unlock();
        step_began_ = Clock::now();
        bool worked = step();
        step_began_ = Clock::time_point();
        lock.lock();
        if (!worked) wake_.wait(lock, [&] { return stop_ || !inbox_.empty(); });
    }
    lock.unlock();
    end_all();
}

bool EngineImpl::step() {
    Clock::time_point begin = Clock::now();
    take();
    scheduler_->plan_step(plan_);
    if (plan_.idle()) {
        publish_stats();
        return false;
    }
    scheduler_->commit(plan_);
    if (plan_.failed) end_failed(*plan_.failed);
    if (plan_.sequences.empty()) return true;
    const Batch& batch = inputs_->pack(*device_, *scheduler_, plan_);

    Clock::time_point packed = Clock::now();
    mark_started(packed);
    prepare_blocks();
    View logits = forward({*model_, batch, *cache_, *activations_, device_->ops()});
    auto computed = std::span(logits_).first(plan_.logit_rows * model_->plan.vocabulary);
    device_->download(logits, std::as_writable_bytes(computed));
    Clock::time_point forwarded = Clock::now();

    scheduler_->advance(plan_);
    sampling_ = {};
    sample_all(computed);
    Clock::duration compute = forwarded - packed;
    counted_.bookkeeping_seconds += seconds(Clock::now() - begin - compute - sampling_);
    counted_.compute_seconds += seconds(compute);
    counted_.sampling_seconds += seconds(sampling_);
    ++counted_.steps;
    counted_.rows += plan_.rows;
    publish_stats();
    return true;
}

/// New requests in, cancelled ones out.
void EngineImpl::take() {
    {
        std::lock_guard lock(mutex_);
        std::swap(inbox_, taken_);
    }
    for (Submitted& submitted : taken_) begin(submitted);
    taken_.clear();
    end_cancelled();
}

void EngineImpl::begin(Submitted& submitted) {
    GenerateRequest& request = submitted.request;
    auto prompt = static_cast<int64_t>(request.tokens.size());
    Answer answer{.state = std::move(submitted.state),
                  .sampler = Sampler(request.sampling, static_cast<int32_t>(model_->plan.vocabulary)),
                  .decoder = StreamDecoder(request.stops),
                  .unsplit = request.choices - 1,
                  .prompt_tokens = prompt,
                  .tokens_max = request.tokens_max,
                  .ignore_end = request.ignore_end,
                  .submitted = submitted.at};
    answer.sampler.accept_prompt(request.tokens);
    answer.sampler.reserve(request.tokens_max);
    Result<SequenceId> id = scheduler_->add({.tokens = request.tokens,
                                             .max_new_tokens = request.tokens_max,
                                             .priority = request.priority,
                                             .logits_from = request.prompt_logprobs ? 0 : kLastRowOnly});
    if (id.ok()) {
        counted_.prompt_tokens += prompt;
        answers_.emplace(id.value(), std::move(answer));
        return;
    }
    for (; answer.choice < request.choices; ++answer.choice)
        publish_finish(answer, FinishReason::Failed, id.error().message);
}

void EngineImpl::end_cancelled() {
    cancelled_.clear();
    for (const auto& [id, answer] : answers_)
        if (answer.state->cancelled()) cancelled_.push_back(id);
    for (SequenceId id : cancelled_) finish(id, FinishReason::Cancelled);
}

void EngineImpl::end_failed(const FailedSequence& failed) {
    auto found = answers_.find(failed.id);
    CHECK(found != answers_.end());
    Answer answer = std::move(found->second);
    answers_.erase(found);  // the scheduler has removed it already
    for (int32_t last = answer.choice + answer.unsplit; answer.choice <= last; ++answer.choice)
        publish_finish(answer, FinishReason::Failed, failed.reason);
}

/// Zeroes what was taken, so that no byte of another sequence is ever where this one may look, and copies what is
/// written for the first time.
void EngineImpl::prepare_blocks() {
    Ops& ops = device_->ops();
    const CacheSpec& spec = model_->plan.cache;
    for (const TakenBlock& taken : plan_.taken)
        for (int32_t layer : spec.groups[taken.group].layers) {
            ops.zero(cache_->keys(layer).slice(taken.block, 1));
            ops.zero(cache_->values(layer).slice(taken.block, 1));
        }
    for (const BlockCopy& copy : plan_.copies)
        for (int32_t layer : spec.groups[copy.group].layers) {
            ops.copy(cache_->keys(layer).slice(copy.from, 1), cache_->keys(layer).slice(copy.to, 1));
            ops.copy(cache_->values(layer).slice(copy.from, 1), cache_->values(layer).slice(copy.to, 1));
        }
}

void EngineImpl::mark_started(Clock::time_point now) {
    for (const ScheduledRows& part : plan_.sequences) {
        Answer& answer = answers_.at(part.id);
        if (answer.started == Clock::time_point()) answer.started = now;
    }
}

void EngineImpl::sample_all(std::span<const float> logits) {
    int64_t vocabulary = model_->plan.vocabulary, row = 0;
    for (const ScheduledRows& part : plan_.sequences) {
        if (part.logit_rows == 0) continue;
        auto rows = logits.subspan(row * vocabulary, part.logit_rows * vocabulary);
        row += part.logit_rows;
        if (!score_prompt(part, rows)) continue;
        auto last = rows.last(vocabulary);
        if (on_logits) on_logits(scheduler_->tokens(part.id), last);
        split(part.id, last);
    }
}

/// The rows of a prompt whose next token is known: their events. False: the sequence has not caught up with its tokens,
/// or has ended.
bool EngineImpl::score_prompt(const ScheduledRows& rows, std::span<const float> logits) {
    std::span<const TokenId> tokens = scheduler_->tokens(rows.id);
    int64_t vocabulary = model_->plan.vocabulary, end = rows.first + rows.rows;
    for (int64_t i = 0; i < rows.logit_rows; ++i) {
        int64_t next = end - rows.logit_rows + i + 1;
        if (next == std::ssize(tokens)) return true;
        Answer& answer = answers_.at(rows.id);
        Result<Sample> sample = score(logits.subspan(i * vocabulary, vocabulary), tokens[next],
                                      std::max(answer.sampler.top_logprobs(), 0), next, scratch_);
        Event* event = sample.ok() ? answer.state->begin_token() : nullptr;
        if (event == nullptr) {
            sample.ok() ? end_unread(rows.id) : finish(rows.id, FinishReason::Failed, sample.error().message);
            return false;
        }
        event->kind = Event::Kind::Prompt;
        fill_in(*event, sample.value());
        answer.state->publish();
    }
    return false;
}

/// The first token of a request with several choices: each becomes a sequence of its own that shares the prompt's
/// blocks.
void EngineImpl::split(SequenceId id, std::span<const float> logits) {
    Answer& first = answers_.at(id);
    int32_t others = std::exchange(first.unsplit, 0);
    for (int32_t i = 1; i <= others; ++i) {
        Answer other = answers_.at(id);
        other.choice = i;
        other.sampler.reserve(other.tokens_max);
        SequenceId fork = scheduler_->fork(id);
        answers_.emplace(fork, std::move(other));
        sample_one(fork, logits);
    }
    sample_one(id, logits);
}

void EngineImpl::sample_one(SequenceId id, std::span<const float> logits) {
    Answer& answer = answers_.at(id);
    if (answer.tokens_max == 0) return finish(id, FinishReason::Length);
    auto position = static_cast<uint64_t>(answer.prompt_tokens + answer.generated);
    Clock::time_point begin = Clock::now();
    Result<Sample> sample = answer.sampler.sample(logits, static_cast<uint32_t>(answer.choice), position, scratch_);
    sampling_ += Clock::now() - begin;
    if (!sample.ok()) return finish(id, FinishReason::Failed, sample.error().message);
    if (!answer.ignore_end && model_->tokenizer->ends_generation(sample.value().token))
        return finish(id, FinishReason::Stop, {}, &sample.value());
    emit(id, answer, sample.value());
}

/// Commits a token: counts it, gives it out, and ends the answer where it must end. Nothing is computed after a stop.
void EngineImpl::emit(SequenceId id, Answer& answer, const Sample& sample) {
    Event* event = answer.state->begin_token();
    if (event == nullptr) return end_unread(id);
    answer.sampler.accept(sample.token);
    ++answer.generated;
    ++counted_.generated_tokens;
    event->choice = answer.choice;
    fill_in(*event, sample);
    answer.decoder.push(model_->tokenizer->bytes(sample.token), event->text);
    answer.state->publish();
    if (answer.decoder.stopped()) return finish(id, FinishReason::Stop);
    if (answer.generated == answer.tokens_max) return finish(id, FinishReason::Length);
    scheduler_->append(id, sample.token);
}

/// The reader stayed away too long.
void EngineImpl::end_unread(SequenceId id) {
    answers_.at(id).state->cancel();
    finish(id, FinishReason::Cancelled, "nobody read the events of this request: too many of them wait");
}

void EngineImpl::finish(SequenceId id, FinishReason reason, std::string_view error, const Sample* end) {
    Answer& answer = answers_.at(id);
    scheduler_->finish(id);
    for (int32_t last = answer.choice + answer.unsplit; answer.choice <= last; ++answer.choice)
        publish_finish(answer, reason, error, end);
    answers_.erase(id);
}

void EngineImpl::publish_finish(Answer& answer, FinishReason reason, std::string_view error, const Sample* end) {
    Event& event = answer.state->begin_finish();
    event.kind = Event::Kind::Finish;
    event.choice = answer.choice;
    if (end != nullptr) fill_in(event, *end);
    answer.decoder.finish(event.text);
    event.reason = reason;
    event.error = error;
    event.prompt_tokens = answer.prompt_tokens;
    event.generated_tokens = answer.generated;
    if (answer.started != Clock::time_point()) event.queue_seconds = seconds(answer.started - answer.submitted);
    answer.state->publish();
}

/// The engine ends: nobody waits for ever.
void EngineImpl::end_all() {
    take();
    while (!answers_.empty()) finish(answers_.begin()->first, FinishReason::Cancelled);
}

void EngineImpl::publish_stats() {
    std::lock_guard lock(stats_mutex_);
    stats_ = counted_;
    stats_.preemptions = scheduler_->preemptions();
    stats_.running = scheduler_->running();
    stats_.waiting = scheduler_->waiting();
    stats_.cache_share = 0;
    for (const BlockPool& pool : pools_)
        stats_.cache_share =
            std::max(stats_.cache_share, 1 - static_cast<double>(pool.free()) / static_cast<double>(pool.size()));
}

Result<std::unique_ptr<Engine>> Engine::open(std::shared_ptr<Runtime> runtime, const EngineOptions& options) {
    auto engine = TRY(EngineImpl::make(std::move(runtime), options));
    engine->start();
    return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace godwit
