// str(), repr() and the spelling of numbers, as Python's.
#pragma once

#include "template/runtime.hpp"

namespace godwit::jinja {

/// repr(float): the shortest digits that read back, 1e+16 and 1e-05 from there on.
std::string float_repr(double number);
/// str(value). Text keeps its origin, numbers print as theirs.
Result<TracedText> to_text(Runtime& runtime, const Value& value);
/// `ascii`: other characters as escapes.
Result<TracedText> repr(Runtime& runtime, const Value& value, bool ascii = false);
/// str(value) as a value: strings as they are.
Result<Value> to_string(Runtime& runtime, const Value& value);
/// &, <, >, ' and " as HTML entities.
TracedText escape_html(const TracedText& text);
/// Markup(value): escaped unless it is markup already.
Result<TracedText> escaped_text(Runtime& runtime, const Value& value);

}  // namespace godwit::jinja
