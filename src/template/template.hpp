// Chat templates: the Jinja that Hugging Face's tokenizers render prompts with, as jinja2's immutable sandbox with
// trim_blocks, lstrip_blocks, loop controls and the tag `generation`.
#pragma once

#include <ctime>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "template/limits.hpp"
#include "text/segment.hpp"

namespace godwit {

namespace jinja {
struct Tree;
}

struct RenderOptions {
    TemplateLimits limits;
    std::optional<std::tm> now;  // what strftime_now sees; none: the local time
    /// Members of the context that are the template's own text, not a value: the special tokens of the model.
    std::vector<std::string> template_members = {"bos_token", "eos_token", "unk_token", "sep_token",
                                                 "pad_token", "cls_token", "mask_token"};
    /// Values of members called "role" that count as template text: templates write them into markers (`<|user|>`), and
    /// who builds the context has checked that they are one of these.
    std::vector<std::string> template_roles = {"system", "developer", "user",   "assistant",
                                               "tool",   "function",  "ipython"};
};

struct Rendered {
    std::string text;
    std::vector<Segment> segments;  // in order, without gaps, neighbours of different origin
};

/// A compiled template. Immutable: any thread may render.
class Template {
public:
    /// Errors: "template line 3: …". Time and memory are linear in the source.
    static Result<Template> compile(std::string_view source);

    Template(Template&&) noexcept;
    Template& operator=(Template&&) noexcept;
    ~Template();

    /// `context`: an object, its members are the variables. Errors: "template line 3: 'x' is undefined", also what
    /// raise_exception says and limits that are exceeded.
    Result<Rendered> render(const nlohmann::ordered_json& context, const RenderOptions& options) const;

private:
    explicit Template(std::unique_ptr<jinja::Tree> tree);
    std::unique_ptr<jinja::Tree> tree_;
};

}  // namespace godwit
