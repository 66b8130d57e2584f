#include "dialect/chat_messages.hpp"

#include <algorithm>
#include <array>

#include "base/printable.hpp"

namespace godwit {
namespace {

// Templates write roles into markers as they are, as their own text (RenderOptions::template_roles): a closed set.
constexpr std::array<std::string_view, 7> kRoles = {"system", "developer", "user",   "assistant",
                                                    "tool",   "function",  "ipython"};

/// One message; `where` is "messages[2]".
class MessageReader {
public:
    MessageReader(std::string where, const MessageForm& form) : where_(std::move(where)), form_(form) {}

    ChatResult<Json> read(const Json& given) {
        if (!given.is_object()) return fault("", "must be an object");
        Json made = Json::object();
        for (const auto& [key, value] : given.items()) {
            if (value.is_null() || key == "function_call") continue;
            Json member = TRY(read_member(key, value));
            if (key == "tool_calls" && member.empty()) continue;
            // Without the search for the key that operator[] does: what a request repeats was dropped when it was
            // parsed.
            made.get_ref<Json::object_t&>().push_back(Json::object_t::value_type(key, std::move(member)));
        }
        TRY(read_old_forms(given, made));
        if (!made.contains("role")) return fault(".role", "missing");
        name_reasoning(made);
        TRY(settle_content(made));
        return made;
    }

    std::string unparsed_arguments;

private:
    ChatError fault(std::string_view field, std::string_view problem) const {
        return {fmt::format("{}{}", where_, field), problem};
    }

    ChatResult<Json> read_member(const std::string& key, const Json& value) {
        if (key == "role") return read_role(value);
        if (key == "content") return read_content(value);
        if (key == "tool_calls") return read_calls(value);
        return value;
    }

    /// What OpenAI's messages held before, and still may: one call without an id, and a refusal in the place of
    /// content.
    ChatResult<void> read_old_forms(const Json& given, Json& made) {
        const auto call = given.find("function_call"), refusal = given.find("refusal");
        if (call != given.end() && !call->is_null() && !made.contains("tool_calls"))
            made["tool_calls"] = TRY(read_calls(Json::array({Json{{"type", "function"}, {"function", *call}}})));
        if (refusal != given.end() && refusal->is_string() && !made.contains("content"))
            made["content"] = TRY(read_content(*refusal));
        return {};
    }

    ChatResult<Json> read_role(const Json& value) const {
        if (!value.is_string()) return fault(".role", "must be a string");
        const auto& role = value.get_ref<const std::string&>();
        if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end()) {
            return fault(".role",
                         fmt::format("unknown role '{}' (system, developer, user, assistant, tool or function)",
                                     printable(role)));
        }
        return Json(role == "developer" && !form_.knows_developer ? "system" : role);
    }

    ChatResult<Json> read_content(const Json& value) const {
        if (!value.is_string() && !value.is_array()) return fault(".content", "must be a string or an array of parts");
        std::string text;
        Json list = Json::array();
        if (value.is_string()) {
            text = value.get_ref<const std::string&>();
            list.push_back(text_part(text));
        } else {
            for (size_t i = 0; i < value.size(); ++i) {
                std::string part = TRY(read_part(value[i], fmt::format(".content[{}]", i)));
                if (i > 0) text += '\n';
                text += part;
                list.push_back(text_part(std::move(part)));
            }
        }
        return form_.content_is_list ? list : Json(std::move(text));
    }

    static Json text_part(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

    /// The text of a part. Other kinds are refused: an answer to half a message would look like one to the whole.
    ChatResult<std::string> read_part(const Json& part, const std::string& field) const {
        if (!part.is_object()) return fault(field, "must be an object");
        const auto type = part.find("type");
        if (type == part.end() || !type->is_string()) return fault(field + ".type", "must be a string");
        const auto& name = type->get_ref<const std::string&>();
        if (name != "text" && name != "input_text" && name != "output_text" && name != "refusal")
            return fault(field + ".type", fmt::format("'{}' is not supported (text is)", printable(name)));
        const char* member = name == "refusal" ? "refusal" : "text";
        const auto text = part.find(member);
        if (text == part.end() || !text->is_string())
            return fault(fmt::format("{}.{}", field, member), "must be a string");
        return text->get<std::string>();
    }

    ChatResult<Json> read_calls(const Json& value) {
        if (!value.is_array()) return fault(".tool_calls", "must be an array");
        Json calls = Json::array();
        for (size_t i = 0; i < value.size(); ++i)
            calls.push_back(TRY(read_call(value[i], fmt::format(".tool_calls[{}]", i))));
        return calls;
    }

    ChatResult<Json> read_call(const Json& given, const std::string& field) {
        if (!given.is_object()) return fault(field, "must be an object");
        Json call = given;
        const auto function = call.find("function");
        if (function == call.end() || !function->is_object()) return fault(field + ".function", "must be an object");
        const auto name = function->find("name");
        if (name == function->end() || !name->is_string()) return fault(field + ".function.name", "must be a string");
        (*function)["arguments"] =
            TRY(read_arguments(function->value("arguments", Json()), field + ".function.arguments"));
        return call;
    }

    /// The API has them as the text of a JSON object; most templates want the object.
    ChatResult<Json> read_arguments(const Json& given, const std::string& field) {
        if (given.is_null()) return form_.arguments_are_text ? Json("{}") : Json::object();
        if (given.is_object()) return form_.arguments_are_text ? Json(json_text(given)) : given;
        if (!given.is_string()) return fault(field, "must be the text of a JSON object");
        if (form_.arguments_are_text) return given;
        const auto& text = given.get_ref<const std::string&>();
        if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Json::object();
        auto parsed = parse_json(text);
        if (parsed.ok() && parsed.value().is_object()) return std::move(parsed).take();
        unparsed_arguments = where_ + field;
        return given;
    }

    /// As transformers: one name is what templates read, another what gpt-oss's reads.
    static void name_reasoning(Json& message) {
        for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
            const auto found = message.find(name);
            if (found == message.end()) continue;
            const Json reasoning = *found;
            message["reasoning_content"] = reasoning;
            if (!message.contains("thinking")) message["thinking"] = reasoning;
            return;
        }
    }

    ChatResult<void> settle_content(Json& message) const {
        const bool calls = message.contains("tool_calls");
        const auto content = message.find("content");
        const bool has_content = content != message.end();
        const auto& role = message["role"].get_ref<const std::string&>();
        // An empty answer or result is kept by clients as they got it: refused, the conversation could never go on.
        const bool may_be_empty = role == "assistant" || role == "tool" || role == "function" || role == "ipython";
        if (!has_content && !may_be_empty) return fault(".content", "missing");
        if (has_content && !(calls && content->is_string() && content->get_ref<const std::string&>().empty()))
            return {};
        message["content"] = calls && form_.no_content_is_null ? Json()
                             : form_.content_is_list           ? Json::array()
                                                               : Json("");
        return {};
    }

    std::string where_;
    const MessageForm& form_;
};

}  // namespace

ChatResult<ChatMessages> prepare_messages(const Json& messages, const MessageForm& form) {
    if (!messages.is_array()) return ChatError("messages", "must be an array");
    if (messages.empty()) return ChatError("messages", "must hold at least one message");
    ChatMessages prepared;
    for (size_t i = 0; i < messages.size(); ++i) {
        MessageReader reader(fmt::format("messages[{}]", i), form);
        prepared.messages.push_back(TRY(reader.read(messages[i])));
        if (!reader.unparsed_arguments.empty()) prepared.unparsed_arguments = std::move(reader.unparsed_arguments);
    }
    return prepared;
}

}  // namespace godwit
