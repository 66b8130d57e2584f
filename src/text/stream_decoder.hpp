// Token bytes to text as it comes: well-formed UTF-8 only, ends at the first stop string, holds back no more than it
// must. One per answer; not thread-safe. Time linear in the bytes, whatever the stops.
// Rules: an ill-formed maximal subpart becomes one U+FFFD (Unicode, chapter 3), an unfinished sequence at the end is
// dropped. A stop matches code points of the decoded text; the match that ends first wins, of several that end together
// the longest; it and all after it are cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/stop_automaton.hpp"

namespace godwit {

class StreamDecoder {
public:
    /// Empty stops are ignored.
    explicit StreamDecoder(std::vector<std::string> stops = {});

    /// Takes the bytes of the next token; appends the text that is certain now (may be none) to `out`. Nothing after a
    /// stop.
    void push(std::string_view bytes, std::string& out);

    /// The end of the answer: what was held back as a possible stop is text after all.
    void finish(std::string& out);

    /// The stop string that was met.
    const std::optional<std::string>& stopped() const { return stopped_; }

private:
    void decode_unfinished(bool at_end);
    void decode(std::string_view code_point);
    void release(size_t keep, std::string& out);

    std::vector<std::string> stops_;
    StopAutomaton automaton_;
    StopAutomaton::State state_ = StopAutomaton::kStart;
    std::string unfinished_;  // bytes that cannot be decoded yet: at most 3 between calls
    std::string text_;        // decoded; what lies before released_ was given out
    size_t released_ = 0;
    std::optional<std::string> stopped_;
};

}  // namespace godwit
