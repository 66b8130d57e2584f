#include "engine/generation.hpp"

#include <algorithm>

namespace godwit {
namespace {

constexpr size_t kSlots = 16;      // at first
constexpr size_t kTextBytes = 40;  // reserved in every slot: nearly all pieces fit

size_t bytes_of(const Event& event) {
    return sizeof(Event) + event.text.size() + event.error.size() + event.top.size() * sizeof(TokenLogprob);
}

}  // namespace

Event* Generation::State::begin_token() {
    std::lock_guard lock(mutex_);
    return bytes_ < kEventBytesMax ? &empty_slot() : nullptr;
}

Event& Generation::State::begin_finish() {
    std::lock_guard lock(mutex_);
    return empty_slot();
}

Event& Generation::State::empty_slot() {
    if (count_ == ring_.size()) grow();
    Event& event = ring_[(first_ + count_) % ring_.size()];
    event.kind = Event::Kind::Token;  // what the reader gave back in exchange may hold anything
    event.token = -1;
    event.text.clear();
    event.logprob = 0;
    event.top.clear();
    event.reason = FinishReason::Stop;
    event.error.clear();
    event.prompt_tokens = event.generated_tokens = 0;
    event.queue_seconds = 0;
    return event;
}

void Generation::State::grow() {
    std::vector<Event> larger(std::max(kSlots, 2 * ring_.size()));
    for (size_t i = 0; i < count_; ++i) larger[i] = std::move(ring_[(first_ + i) % ring_.size()]);
    for (size_t i = count_; i < larger.size(); ++i) larger[i].text.reserve(kTextBytes);
    ring_ = std::move(larger);
    first_ = 0;
}

void Generation::State::publish() {
    bool first = false;
    {
        std::lock_guard lock(mutex_);
        bytes_ += bytes_of(ring_[(first_ + count_) % ring_.size()]);
        first = ++count_ == 1;
    }
    published_.notify_one();
    if (first && wake_) wake_();
}

void Generation::State::take(Event& event) {
    bytes_ -= bytes_of(ring_[first_]);
    std::swap(event, ring_[first_]);
    first_ = (first_ + 1) % ring_.size();
    --count_;
    if (event.kind == Event::Kind::Finish) --unread_finishes_;
}

bool Generation::State::try_next(Event& event) {
    std::lock_guard lock(mutex_);
    if (count_ == 0) return false;
    take(event);
    return true;
}

bool Generation::State::next(Event& event) {
    std::unique_lock lock(mutex_);
    if (unread_finishes_ == 0) return false;
    published_.wait(lock, [&] { return count_ > 0; });
    take(event);
    return true;
}

Generation::Generation(std::shared_ptr<State> state) : state_(std::move(state)) {}
Generation::Generation(Generation&&) noexcept = default;

Generation& Generation::operator=(Generation&& other) noexcept {
    Generation taken(std::move(other));  // and what stood here is cancelled now, not when `other` dies
    std::swap(state_, taken.state_);
    return *this;
}

Generation::~Generation() {
    if (state_) state_->cancel();
}

bool Generation::next(Event& event) { return state_ && state_->next(event); }
bool Generation::try_next(Event& event) { return state_ && state_->try_next(event); }

void Generation::cancel() {
    if (state_) state_->cancel();
}

}  // namespace godwit
