// What every operation of a rendering shares: the arena of objects and the budgets. Budgets are counts, so that load
// never changes an answer.
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "template/limits.hpp"
#include "template/value.hpp"

namespace godwit::jinja {

/// Arguments of a call, a filter or a test, as written.
struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
};

/// Arguments by parameter; nullptr where none was given.
using Bound = std::vector<const Value*>;

class Runtime {
public:
    Runtime(const TemplateLimits& limits, const std::tm& now) : limits_(limits), now_(now) {}
    Runtime(const Runtime&) = delete;

    const TemplateLimits& limits() const { return limits_; }
    const std::tm& now() const { return now_; }

    /// Counts work. Fails when the budget of steps or of memory is used up.
    Result<void> spend(size_t steps);
    /// What an operation that reads all of a string costs; nothing for other values.
    Result<void> spend_reading(const Value& value);
    /// Fails when `bytes` more would not fit: to be asked before anything large is built.
    Result<void> reserve(size_t bytes) const;

    /// A new object of this rendering. Bounded allocations only: what is large calls reserve() first.
    template <class T, class... Args>
    T* make(Args&&... args) {
        auto owned = std::make_unique<T>(std::forward<Args>(args)...);
        T* object = owned.get();
        objects_.push_back(std::move(owned));
        memory_ += sizeof(T) + kObjectOverhead;
        return object;
    }

    Value string(TracedText text, bool markup = false);
    Value string(std::string_view bytes, Origin origin = Origin::Value) { return string(TracedText(bytes, origin)); }
    Value list(std::vector<Value> items, Type type = Type::List);
    Value dict();
    Value undefined(std::string message);
    /// A generator of `items`; who takes more of them than there are gets `failure`.
    Value generator(std::vector<Value> items, std::optional<Error> failure = std::nullopt);

    /// Whether output is escaped: within {% autoescape true %}.
    bool autoescape = false;

private:
    static constexpr size_t kObjectOverhead = 48;

    TemplateLimits limits_;
    std::tm now_;
    size_t steps_ = 0, memory_ = 0;
    bool too_long_ = false;
    std::vector<std::unique_ptr<Object>> objects_;
};

/// `arguments` by the names of the parameters of `what`, or an error as Python's. Parameters from `required` on may be
/// left out.
Result<Bound> bind_arguments(std::string_view what, const Arguments& arguments,
                             std::span<const std::string_view> parameters, size_t required = 0);
inline Result<Bound> bind_arguments(std::string_view what, const Arguments& arguments,
                                    std::initializer_list<std::string_view> parameters, size_t required = 0) {
    return bind_arguments(what, arguments, std::span(parameters.begin(), parameters.size()), required);
}

/// As bind_arguments, of parameters that have no names.
Result<Bound> bind_positional(std::string_view what, const Arguments& arguments, size_t least, size_t most);
inline Result<void> no_arguments(std::string_view what, const Arguments& arguments) {
    TRY(bind_positional(what, arguments, 0, 0));
    return done();
}

/// The items that a for loop would see (a generator has no more of them then), or "'int' object is not iterable".
Result<std::vector<Value>> iterate(Runtime& runtime, const Value& value);
/// len(value).
Result<size_t> length(const Value& value);
/// An argument that must be an integer in the range of int64_t.
Result<int64_t> to_index(const Value& value);
bool argument_is_true(const Value* argument, bool otherwise = false);

}  // namespace godwit::jinja
