#include "template/template.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "template/interpreter.hpp"
#include "template/json_text.hpp"
#include "template/parser.hpp"

namespace godwit {

Template::Template(std::unique_ptr<jinja::Tree> tree) : tree_(std::move(tree)) {}
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

Result<Template> Template::compile(std::string_view source) {
    auto tree = jinja::parse_template(source);
    if (!tree.ok()) return error("template {}", tree.error().message);
    return Template(std::make_unique<jinja::Tree>(std::move(tree).take()));
}

namespace {

std::tm local_time() {
    std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return local;
}

Result<void> fill_context(jinja::Runtime& runtime, const nlohmann::ordered_json& context, const RenderOptions& options,
                          jinja::DictObject& variables) {
    if (!context.is_object()) return error("the context must be an object");
    std::vector<std::string_view> roles(options.template_roles.begin(), options.template_roles.end());
    const auto& own = options.template_members;
    for (const auto& [name, value] : context.items()) {
        bool is_own = std::find(own.begin(), own.end(), name) != own.end();
        Origin origin = is_own ? Origin::Template : Origin::Value;
        variables.set(runtime.string(name), TRY(jinja::from_json(runtime, value, origin, roles)));
    }
    return runtime.spend(0);
}

}  // namespace

Result<Rendered> Template::render(const nlohmann::ordered_json& context, const RenderOptions& options) const {
    jinja::Runtime runtime(options.limits, options.now ? *options.now : local_time());
    jinja::DictObject variables;
    TRY(fill_context(runtime, context, options, variables));
    auto text = jinja::Interpreter(*tree_, runtime, variables).run();
    if (!text.ok()) return error("template {}", text.error().message);
    jinja::TracedText rendered = std::move(text).take();
    Rendered result;
    result.segments = rendered.segments();
    result.text = std::move(rendered).take_bytes();
    return result;
}

}  // namespace godwit
