#include "text/stream_decoder.hpp"

#include "base/utf8.hpp"

namespace godwit {
namespace {

/// The text holds U+FFFD where bytes were broken, so a broken stop can only match it in the same form.
std::vector<std::string> well_formed(std::vector<std::string> stops) {
    for (std::string& stop : stops) stop = replace_ill_formed(stop);
    return stops;
}

/// Two bytes of a surrogate are broken already, but Python's incremental decoder, which sets the standard for how early
/// text comes, waits for the third.
bool half_surrogate(std::string_view bytes) {
    return bytes.size() == 2 && bytes[0] == '\xED' && static_cast<unsigned char>(bytes[1]) >= 0xA0 &&
           static_cast<unsigned char>(bytes[1]) <= 0xBF;
}

}  // namespace

StreamDecoder::StreamDecoder(std::vector<std::string> stops)
    : stops_(well_formed(std::move(stops))), automaton_(stops_) {}

void StreamDecoder::push(std::string_view bytes, std::string& out) {
    if (stopped_) return;
    unfinished_ += bytes;
    decode_unfinished(false);
    release(stopped_ ? 0 : automaton_.open_bytes(state_), out);
}

void StreamDecoder::finish(std::string& out) {
    if (!stopped_) decode_unfinished(true);
    unfinished_.clear();
    release(0, out);
}

void StreamDecoder::decode_unfinished(bool at_end) {
    std::string_view rest = unfinished_;
    while (!rest.empty() && !stopped_) {
        const Utf8Unit unit = next_utf8(rest);
        if (unit.form == Utf8Form::Cut || (!at_end && half_surrogate(rest))) break;
        decode(unit.form == Utf8Form::WellFormed ? rest.substr(0, unit.size) : kReplacementCharacter);
        rest.remove_prefix(unit.size);
    }
    unfinished_.erase(0, unfinished_.size() - rest.size());
}

void StreamDecoder::decode(std::string_view code_point) {
    text_ += code_point;
    for (char byte : code_point) state_ = automaton_.next(state_, byte);
    // Stops are well-formed, so one can only end where a code point ends.
    if (std::optional<size_t> stop = automaton_.stop(state_)) {
        stopped_ = stops_[*stop];
        text_.resize(text_.size() - stopped_->size());
    }
}

void StreamDecoder::release(size_t keep, std::string& out) {
    size_t size = text_.size() - keep - released_;
    out.append(text_, released_, size);
    released_ += size;
    if (released_ > text_.size() / 2) {  // moves each byte once or twice in all, however small the pieces
        text_.erase(0, released_);
        released_ = 0;
    }
}

}  // namespace godwit
