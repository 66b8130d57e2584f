// The chat templates of 70 published models (tools/fetch vocabularies): every prompt as jinja2 renders it
// (tools/oracle/make_templates.py), no byte of a value taken for the template's, and conversations as the API has them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cache/index/identity.hpp"
#include "dialect/chat_template.hpp"

namespace godwit {
namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Json golden(const char* name) {
    return Json::parse(read_file(std::filesystem::path(GODWIT_TEST_DATA "/golden/templates") / name));
}

/// The templates by file name.
const std::map<std::string, std::string>& templates() {
    static const auto all = [] {
        const char* cache = std::getenv("GODWIT_CACHE");
        const char* home = std::getenv("HOME");
        const std::string folder =
            (cache ? cache : std::string(home ? home : "") + "/.cache/godwit") + "/vocabularies/templates";
        std::map<std::string, std::string> found;
        std::error_code missing;
        for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
            found[entry.path().filename()] = read_file(entry.path());
        if (found.size() != 70)
            ADD_FAILURE() << folder << ": " << found.size()
                          << " templates, 70 are wanted: run tools/fetch vocabularies";
        return found;
    }();
    return all;
}

std::string digest(const std::string& text) {
    const auto hash = sha256(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
    std::string hex;
    for (size_t i = 0; i < 8; ++i) hex += fmt::format("{:02x}", hash.bytes[i]);
    return hex;
}

TEST(RealTemplates, RenderAsJinja2) {
    const Json file = golden("conversations.json"), prompts = golden("prompts.json")["templates"];
    RenderOptions options{.now = std::tm{}};
    strptime(file["now"].get<std::string>().c_str(), "%Y-%m-%dT%H:%M:%S", &*options.now);
    EXPECT_EQ(prompts.size(), 70u);
    size_t wrong = 0;
    for (const auto& [name, source] : templates()) {
        const auto compiled = Template::compile(source);
        ASSERT_TRUE(compiled.ok()) << name << ": " << compiled.error().message;
        for (const auto& [conversation, context] : file["conversations"].items()) {
            const auto rendered = compiled.value().render(context, options);
            const std::string expected = prompts[name][conversation];
            if ((rendered.ok() ? digest(rendered.value().text) : "error") == expected || ++wrong > 20) continue;
            ADD_FAILURE() << name << ", " << conversation << ": expected " << expected << "\n"
                          << (rendered.ok() ? rendered.value().text : rendered.error().message);
        }
    }
    EXPECT_EQ(wrong, 0u);
}

// ---- Origins: nothing that a value brings is the template's
// ----------------------------------------------------------------------------

/// No template writes them: around each marker, and at the end of each value.
const std::string kFence = "\uE123", kEnd = "\uE124";

/// What looks like a marker in the source: <…> and [WORD]. Not those of reasoning, at which it splits an assistant's
/// content and then writes them itself.
std::set<std::string> markers_of(const std::string& source) {
    std::set<std::string> markers = {"<s>", "</s>"};
    for (size_t begin = source.find_first_of("<["); begin != std::string::npos;
         begin = source.find_first_of("<[", begin + 1)) {
        const size_t end = source.find(source[begin] == '<' ? '>' : ']', begin);
        if (end == std::string::npos || end - begin > 40) continue;
        const std::string text = source.substr(begin, end + 1 - begin);
        if (text.find("think") == text.npos && text.find_first_of(" \n\t'\"{}\\") == std::string::npos)
            markers.insert(text);
    }
    return markers;
}

/// Every text in `json` gets `markers` in front. Words that templates compare stay as they are.
void forge(Json& json, const std::string& markers) {
    if (json.is_string()) json = markers + json.get<std::string>() + kEnd;
    if (!json.is_structured()) return;
    for (const auto& [key, value] : json.items())
        if (key != "role" && key != "type" && key != "id" && key != "tool_call_id") forge(value, markers);
}

TEST(RealTemplates, NothingOfAValueIsTheTemplates) {
    const Json conversations = golden("conversations.json")["conversations"];
    size_t forged = 0;
    for (const auto& [name, source] : templates()) {
        const auto compiled = Template::compile(source);
        const std::set<std::string> markers = markers_of(source);
        std::string text = kFence;
        for (const std::string& marker : markers) text += marker + kFence;
        for (auto [conversation, context] : conversations.items()) {
            Json hostile = context;
            for (const char* member : {"messages", "tools", "documents"}) forge(hostile[member], text);
            const auto rendered = compiled.value().render(hostile, {});
            if (!rendered.ok()) continue;
            const std::string& prompt = rendered.value().text;
            std::vector<bool> is_template(prompt.size());
            for (const Segment& segment : rendered.value().segments)
                std::fill(is_template.begin() + segment.begin, is_template.begin() + segment.end,
                          segment.origin == Origin::Template);
            for (size_t at = prompt.find(kFence); at != std::string::npos; at = prompt.find(kFence, at + 1)) {
                const size_t next = std::min(prompt.find(kFence, at + 1), prompt.size());
                const bool whole = markers.count(prompt.substr(at + kFence.size(), next - at - kFence.size())) > 0;
                const size_t end = whole ? next : at + kFence.size();  // what the value itself has between its fences
                forged += whole;
                ASSERT_EQ(std::count(is_template.begin() + at, is_template.begin() + end, true), 0)
                    << name << ", " << conversation << ": " << prompt.substr(at, end - at);
            }
        }
    }
    EXPECT_GT(forged, 100'000u);
}

// ---- Conversations as the API has them
// -------------------------------------------------------------------------------------------------

/// Arguments of tool calls as text, and null for no content.
Json as_api(Json messages) {
    for (Json& message : messages) {
        if (!message.contains("tool_calls")) continue;
        if (message["content"] == "") message["content"] = nullptr;
        for (Json& call : message["tool_calls"])
            call["function"]["arguments"] = json_text(call["function"]["arguments"]);
    }
    return messages;
}

TEST(RealTemplates, RenderWhatTheApiSends) {
    // Which want other contexts than the goldens': no content as none and arguments as text.
    const std::set<std::string> kOther = {"deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja",
                                          "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B.jinja",
                                          "meetkai-functionary-medium-v3.2.jinja"};
    const Json conversations = golden("conversations.json")["conversations"],
               prompts = golden("prompts.json")["templates"];
    size_t same = 0;
    for (const auto& [name, source] : templates()) {
        ChatTemplateSources sources{.key = name, .text = source};
        sources.special_tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}};
        const auto made = ChatTemplate::make(sources);
        if (name.starts_with("fireworks-ai")) {  // needs variables that nobody gives
            EXPECT_EQ(made.error().message, name + ": template line 21: 'functions' is undefined");
            continue;
        }
        ASSERT_TRUE(made.ok()) << made.error().message;
        if (source.find("strftime_now") != std::string::npos) continue;  // has today's date in it
        for (const char* key :
             {"plain", "system", "turns", "tools", "tool_result", "tool_results", "reasoning", "markers"}) {
            const Json& context = conversations[key];
            Conversation conversation{.messages = as_api(context["messages"])};
            if (context["tools"].is_array()) conversation.tools = context["tools"];
            const auto rendered = made.value().render(conversation);
            if (kOther.count(name) > 0) {
                EXPECT_TRUE(rendered.ok()) << name << ", " << key << ": " << rendered.error().message;
            } else if (prompts[name][key] != "error") {
                EXPECT_EQ(rendered.ok() ? digest(rendered.value().text) : rendered.error().message,
                          prompts[name][key].get<std::string>())
                    << name << ", " << key;
                ++same;
            }
        }
    }
    EXPECT_GT(same, 400u);
}

}  // namespace
}  // namespace godwit
