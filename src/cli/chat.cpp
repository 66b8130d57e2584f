#include "cli/chat.hpp"

#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "cli/common.hpp"
#include "model/chat_prompt.hpp"

namespace godwit {
namespace {

constexpr size_t kFileBytesMax = 16 << 20;

bool has_role(const Json& message, const char* role) { return message.value("role", Json()) == role; }

/// A fence that is longer than all in the text.
std::string fence_for(std::string_view text) {
    size_t longest = 2;
    for (size_t at = 0, run = 0; at < text.size(); ++at) {
        run = text[at] == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

std::string with_files(const std::vector<TextFile>& files, const std::string& text) {
    std::string whole;
    for (const TextFile& file : files) {
        std::string fence = fence_for(file.text);
        whole += fmt::format("{}:\n{}\n{}{}{}\n\n", file.name, fence, file.text, file.text.ends_with('\n') ? "" : "\n",
                             fence);
    }
    return whole + text;
}

}  // namespace

Result<TextFile> TextFile::read(const std::string& path) {
    std::string text = TRY(read_text(path, kFileBytesMax));
    if (text.find('\0') != text.npos || replace_ill_formed(text) != text)
        return error("{}: not a text file (UTF-8)", printable(path, 500));
    return TextFile{file_name(path), std::move(text)};
}

Result<std::vector<TokenId>> Chat::tokens(const Json& messages) const {
    std::vector<TokenId> tokens = TRY(chat_prompt(engine_.model(), {.messages = messages}));
    if (std::ssize(tokens) < context()) return tokens;
    return error(
        "the conversation takes {} tokens, which do not fit into the context of {} (shorten it, or give a larger "
        "--context)",
        tokens.size(), context());
}

/// As its template writes it, with the head of an answer: the same after an answer and after loading.
int64_t Chat::count_used(const Json& messages, int64_t otherwise) const {
    ChatResult<std::vector<TokenId>> tokens = chat_prompt(engine_.model(), {.messages = messages});
    return std::min(tokens.ok() ? std::ssize(tokens.value()) : otherwise, context());
}

Result<Reply> Chat::answer(const Json& before) {
    GenerateRequest request = request_;
    request.tokens = TRY(tokens(messages_));
    Generation generation = TRY(engine_.submit(std::move(request)));
    Reply reply = print_reply(generation, engine_);
    if (reply.end.reason == FinishReason::Failed) return Error{reply.end.error};
    ++request_.sampling.seed;  // another answer, if it is asked for again
    if (reply.end.reason == FinishReason::Cancelled && reply.text.empty()) {
        messages_ = before;
        return reply;
    }
    messages_.push_back({{"role", "assistant"}, {"content", reply.text}});
    used_ = count_used(messages_, reply.end.prompt_tokens + reply.end.generated_tokens);
    last_ = reply;
    return reply;
}

Result<Reply> Chat::ask(const std::string& text) {
    const Json before = messages_;
    messages_.push_back({{"role", "user"}, {"content", with_files(files_, text)}});
    Result<Reply> reply = answer(before);
    if (!reply.ok()) messages_ = before;
    if (messages_.size() > before.size()) files_.clear();
    return reply;
}

Result<Reply> Chat::ask_again() {
    const Json before = messages_;
    if (!messages_.empty() && has_role(messages_.back(), "assistant")) messages_.erase(messages_.size() - 1);
    if (messages_.empty() || has_role(messages_.back(), "system")) {
        messages_ = before;
        return error("there is no message to answer yet");
    }
    Result<Reply> reply = answer(before);
    if (!reply.ok()) messages_ = before;
    return reply;
}

std::string Chat::system() const {
    if (messages_.empty() || !has_role(messages_.front(), "system")) return "";
    const Json content = messages_.front().value("content", Json());
    return content.is_string() ? content.get<std::string>() : json_text(content);
}

void Chat::set_system(const std::string& text) {
    if (!messages_.empty() && has_role(messages_.front(), "system")) messages_.erase(0);
    if (!text.empty()) messages_.insert(messages_.begin(), Json{{"role", "system"}, {"content", text}});
}

void Chat::reset() {
    const std::string prompt = system();
    messages_ = Json::array();
    set_system(prompt);
    files_.clear();
    last_.reset();
    used_ = 0;
}

Result<void> Chat::set_messages(Json messages) {
    used_ = std::ssize(TRY(tokens(messages)));
    messages_ = std::move(messages);
    files_.clear();
    last_.reset();
    return done();
}

}  // namespace godwit
