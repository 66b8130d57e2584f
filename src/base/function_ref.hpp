// FunctionRef<R(Args…)>: a callable passed by reference, for parameters that are called before the callee returns.
// Two pointers, never allocates. The callable must outlive the call.
#pragma once

#include <memory>
#include <type_traits>

namespace godwit {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
    FunctionRef(F&& callable)  // NOLINT: implicit by design
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(static_cast<Args>(args)...);
          }) {}

    R operator()(Args... args) const { return call_(object_, static_cast<Args>(args)...); }

private:
    void* object_;
    R (*call_)(void*, Args...);
};

}  // namespace godwit
