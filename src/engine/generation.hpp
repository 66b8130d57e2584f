// The queue of events between the engine's thread and the reader of one request. Bounded: a reader that stays away too
// long loses its request, not the engine's memory or time. A reader that keeps up needs a few slots, whatever the
// length of the answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "godwit/engine.hpp"

namespace godwit {

/// Bytes of the events that wait in one request's queue, beyond which nothing is added but the Finish events.
inline constexpr size_t kEventBytesMax = 4 << 20;

struct Generation::State {
public:
    State(int32_t choices, std::function<void()> wake) : wake_(std::move(wake)), unread_finishes_(choices) {}

    // Engine thread.
    /// The slot of the next event, to be filled in and published; null if too much waits to be read.
    Event* begin_token();
    Event& begin_finish();
    void publish();

    // Any thread.
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    bool next(Event& event);
    bool try_next(Event& event);

private:
    Event& empty_slot();
    void grow();
    void take(Event& event);

    const std::function<void()> wake_;
    std::mutex mutex_;
    std::condition_variable published_;
    std::vector<Event> ring_;  // slots keep their strings' memory
    size_t first_ = 0, count_ = 0;
    size_t bytes_ = 0;         // of the events that wait
    int32_t unread_finishes_;  // choices whose Finish was not yet read
    std::atomic<bool> cancelled_ = false;
};

}  // namespace godwit
