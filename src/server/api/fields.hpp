// Typed access to the members of a request's JSON. The first fault is remembered, so that a reader is a straight list
// of fields and asks once at its end. Absent and null are the same. Members that nobody asks for are ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/api/api_error.hpp"

namespace godwit::api {

class Fields {
public:
    /// `object` is a JSON object that outlives this. `path` goes before the names in faults: "stream_options.".
    explicit Fields(const Json& object, std::string path = "") : object_(object), path_(std::move(path)) {}
    /// An object inside `outer`'s: its faults are outer's.
    Fields(const Json& object, std::string path, Fields& outer)
        : object_(object), path_(std::move(path)), outer_(&outer) {}

    /// The member, if there is one and it is not null.
    const Json* find(const char* name) const;
    bool has(const char* name) const { return find(name) != nullptr; }
    /// The member, unless it is what clients send for "no such thing": null, false, 0, "" or [].
    const Json* find_on(const char* name) const;

    bool flag(const char* name, bool otherwise);
    /// However it is spelled: 512, 512.0 or 5.12e2.
    int64_t integer(const char* name, int64_t otherwise, int64_t min, int64_t max);
    float number(const char* name, float otherwise, float min, float max);
    std::string text(const char* name, std::string otherwise);
    /// Null if it is absent or at fault.
    const Json* object(const char* name);
    const Json* array(const char* name);
    /// A text or a list of texts; none if absent.
    std::vector<std::string> texts(const char* name, size_t count_max, size_t bytes_max);
    /// Of `list`, the member or an array in it: ids from 0 to vocabulary - 1, up to the first fault.
    std::vector<TokenId> token_ids(const char* name, const Json& list, int64_t vocabulary);

    /// What goes before the names of the members of the member `name`.
    std::string path(const std::string& name) const { return path_ + name + "."; }
    /// 400 with this field as its param.
    void fail(const std::string& name, const std::string& what);
    bool failed() const { return outer_ != nullptr ? outer_->failed() : fault_.has_value(); }
    /// Success, or the first fault.
    ApiResult<void> check() const;

private:
    void remember(ApiError fault);
    template <class Number>
    void fail_range(const char* name, const Json& got, Number min, Number max);
    void fail_type(const char* name, const char* expected, const Json& got);

    const Json& object_;
    std::string path_;
    Fields* outer_ = nullptr;
    std::optional<ApiError> fault_;
};

}  // namespace godwit::api
