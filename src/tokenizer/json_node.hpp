// A place in a JSON document that knows its path: what is read from it is checked, and errors name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "base/result.hpp"
#include "text/json.hpp"

namespace godwit {

class JsonNode {
public:
    JsonNode(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

    const Json& json() const { return *json_; }
    const std::string& path() const { return path_; }

    /// "path: what".
    template <class... Args>
    Error fault(fmt::format_string<Args...> format, Args&&... args) const {
        return error("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...));
    }

    /// A member that is there and not null.
    std::optional<JsonNode> find(std::string_view name) const {
        if (!json_->is_object()) return std::nullopt;
        const auto member = json_->find(name);
        if (member == json_->end() || member->is_null()) return std::nullopt;
        return JsonNode(*member, path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
    }

    Result<JsonNode> get(std::string_view name) const {
        if (auto member = find(name)) return *std::move(member);
        return fault("the member '{}' is missing", name);
    }

    Result<std::vector<JsonNode>> elements() const {
        if (!json_->is_array()) return fault("expected an array");
        std::vector<JsonNode> out;
        for (size_t i = 0; i < json_->size(); ++i) out.emplace_back((*json_)[i], fmt::format("{}[{}]", path_, i));
        return out;
    }

    Result<std::string> text() const {
        if (!json_->is_string()) return fault("expected a string");
        return json_->get_ref<const std::string&>();
    }

    /// An integer from 0 to `most`.
    Result<uint64_t> count(uint64_t most) const {
        if (!json_->is_number_unsigned()) return fault("expected a number that is not negative");
        const auto number = json_->get<uint64_t>();
        if (number > most) return fault("{} is more than {}", number, most);
        return number;
    }

    Result<bool> flag() const {
        if (!json_->is_boolean()) return fault("expected true or false");
        return json_->get<bool>();
    }

    // Of a member that must be there.
    Result<std::string> get_text(std::string_view name) const { return TRY(get(name)).text(); }
    Result<uint64_t> get_count(std::string_view name, uint64_t most) const { return TRY(get(name)).count(most); }
    Result<std::vector<JsonNode>> get_elements(std::string_view name) const { return TRY(get(name)).elements(); }

    // Of a member, if it is there.
    Result<bool> flag_or(std::string_view name, bool usual) const {
        const auto member = find(name);
        return member ? member->flag() : Result<bool>(usual);
    }
    Result<std::string> text_or(std::string_view name, std::string_view usual) const {
        const auto member = find(name);
        return member ? member->text() : Result<std::string>(std::string(usual));
    }

private:
    const Json* json_;
    std::string path_;
};

}  // namespace godwit
