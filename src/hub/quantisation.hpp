// What the name of a file says about the types of its weights, and which of them this build multiplies fast.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace godwit {

/// The last quantisation that a path names, as llama.cpp spells it: "Q4_K_M", "IQ4_XS", "F16", "UD-Q4_K_XL" (mixed by
/// Unsloth's recipe). Any case; "q4-k-m", "fp16" and "q4" count. Empty: it names none.
std::string find_quantisation(std::string_view path);
/// The quantisation that the whole of a text is: what a person writes after the colon of a name. Empty: it is none.
std::string as_quantisation(std::string_view text);

/// Quantisations whose weights have kernels: those about four bits first, then with more bits, then floats.
std::span<const std::string_view> fast_quantisations();
/// Those that run, but in plain loops.
std::span<const std::string_view> slow_quantisations();

/// The place in the order in which files are chosen where nobody says which; the lowest comes first. The fast ones,
/// mixed ones, the slow ones, a file that names none, and at last what this build cannot run.
size_t preference(std::string_view quantisation);
/// Whether this build may run it. True where none is named.
bool may_run(std::string_view quantisation);

}  // namespace godwit
