// Every builtin of jinja2's sandbox, as jinja2 has it: tests/golden/templates/builtins.json, which
// tools/oracle/make_builtins.py draws by chance. An error equals any error.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "template/template.hpp"

namespace godwit {
namespace {

using Json = nlohmann::ordered_json;

// What the template gives, or the error in `error`.
std::optional<std::string> render(const std::string& source, std::string& error) {
    auto compiled = Template::compile(source);
    if (!compiled.ok()) {
        error = compiled.error().message;
        return std::nullopt;
    }
    auto rendered = std::move(compiled).take().render(Json::object(), {});
    if (rendered.ok()) return std::move(rendered).take().text;
    error = rendered.error().message;
    return std::nullopt;
}

// What is wrong with the case [source, expected], or nothing.
std::string fault_of(const std::string& source, const Json& expected) {
    std::string message;
    auto text = render(source, message);
    if (text.has_value() != expected.is_string() && text) return source + "\n  gives " + *text + "\n  not an error";
    if (!text) return expected.is_null() ? "" : source + "\n  " + message + "\n  not " + expected.get<std::string>();
    if (*text == expected.get<std::string>()) return "";
    return source + "\n  gives " + *text + "\n  not   " + expected.get<std::string>();
}

TEST(Builtins, AreThoseOfJinja2) {
    Json golden = Json::parse(std::ifstream(GODWIT_TEST_DATA "/golden/templates/builtins.json"));
    for (const auto& [name, cases] : golden["builtins"].items()) {
        for (const Json& test : cases) {
            std::string fault = fault_of("{{ [" + test[0].get<std::string>() + "] }}", test[1]);
            EXPECT_EQ(fault, "") << name;
        }
    }
}

TEST(Builtins, StatementsAreThoseOfJinja2) {
    Json golden = Json::parse(std::ifstream(GODWIT_TEST_DATA "/golden/templates/builtins.json"));
    for (const Json& test : golden["templates"]) EXPECT_EQ(fault_of(test[0], test[1]), "");
}

}  // namespace
}  // namespace godwit
