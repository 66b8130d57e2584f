#include "text/stop_automaton.hpp"

namespace godwit {

StopAutomaton::StopAutomaton(std::span<const std::string> stops) : stops_(stops.size()) {
    for (size_t i = 0; i < stops.size(); ++i) {
        if (!stops[i].empty()) add(stops[i], static_cast<uint32_t>(i));
    }
    link_fallbacks();
}

uint32_t StopAutomaton::child(uint32_t node, char byte) const {
    uint32_t found = nodes_[node].first_child;
    while (found != 0 && nodes_[found].byte != byte) found = nodes_[found].sibling;
    return found;
}

StopAutomaton::State StopAutomaton::next(State state, char byte) const {
    while (true) {
        if (uint32_t found = child(state, byte)) return found;
        if (state == kStart) return kStart;
        state = nodes_[state].fallback;
    }
}

std::vector<bool> StopAutomaton::occurring(std::string_view text) const {
    std::vector<bool> reached(nodes_.size()), occurs(stops_);
    State state = kStart;
    for (char byte : text) {
        state = next(state, byte);
        reached[state] = true;
    }
    for (size_t i = by_depth_.size(); i-- > 1;) {  // where a string ended, its own ends did as well
        const Node& node = nodes_[by_depth_[i]];
        if (!reached[by_depth_[i]]) continue;
        reached[node.fallback] = true;
        if (node.stop) occurs[*node.stop] = true;
    }
    return occurs;
}

void StopAutomaton::add(std::string_view text, uint32_t index) {
    uint32_t node = kStart;
    for (char byte : text) {
        uint32_t found = child(node, byte);
        if (found == 0) {
            found = static_cast<uint32_t>(nodes_.size());
            nodes_.push_back({.sibling = nodes_[node].first_child, .depth = nodes_[node].depth + 1, .byte = byte});
            nodes_[node].first_child = found;
        }
        node = found;
    }
    if (!nodes_[node].stop) nodes_[node].stop = index;
}

void StopAutomaton::link_fallbacks() {
    for (size_t i = 0; i < by_depth_.size(); ++i) {
        const uint32_t parent = by_depth_[i];
        for (uint32_t node = nodes_[parent].first_child; node != 0; node = nodes_[node].sibling) {
            by_depth_.push_back(node);
            Node& n = nodes_[node];
            if (parent != kStart) n.fallback = next(nodes_[parent].fallback, n.byte);
            if (!n.stop) n.stop = nodes_[n.fallback].stop;  // shorter, so it only counts where no longer one ends
        }
    }
}

}  // namespace godwit
