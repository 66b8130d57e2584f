// The template engine: tests/cases/jinja.json (what jinja2 renders), and what no other engine can be asked: where bytes
// come from, limits, error texts.
#include "template/template.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace godwit {
namespace {

using Json = nlohmann::ordered_json;

std::string render(std::string_view source, const Json& context = Json::object(), const RenderOptions& options = {}) {
    auto compiled = Template::compile(source);
    if (!compiled.ok()) return "compile: " + compiled.error().message;
    auto rendered = std::move(compiled).take().render(context, options);
    return rendered.ok() ? std::move(rendered).take().text : "render: " + rendered.error().message;
}

std::tm parse_time(const std::string& iso) {
    std::tm time{};
    strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
    return time;
}

// What the case asks for and does not get, or nothing.
std::string fault_of(const Json& test) {
    auto compiled = Template::compile(test["template"].get<std::string>());
    bool fails = test.value("error", false);
    std::string message;
    if (compiled.ok()) {
        RenderOptions options;
        if (test.contains("now")) options.now = parse_time(test["now"]);
        auto rendered = std::move(compiled).take().render(test["context"], options);
        if (rendered.ok()) {
            std::string text = std::move(rendered).take().text;
            bool right = test.contains("expected") && text == test["expected"].get<std::string>();
            right = right || (test.contains("expected_or") && text == test["expected_or"].get<std::string>());
            if (right) return "";
            return "got: " + text + "\nexpected: " + (fails ? "an error" : test["expected"].get<std::string>());
        }
        message = rendered.error().message;
        if (fails && test.value("stage", "") == "compile") return "fails in rendering, not in compiling: " + message;
    } else {
        message = compiled.error().message;
        if (fails && test.value("stage", "") == "render") return "fails in compiling, not in rendering: " + message;
    }
    if (!message.starts_with("template line ")) return "no line: " + message;
    if (fails || test.value("may_error", false)) return "";
    return message + "\nexpected: " + test["expected"].get<std::string>();
}

TEST(Template, RendersAsJinja2) {
    Json cases = Json::parse(std::ifstream(GODWIT_TEST_DATA "/cases/jinja.json"))["cases"];
    EXPECT_EQ(cases.size(), 326u);
    for (const Json& test : cases) {
        std::string fault = fault_of(test);
        EXPECT_EQ(fault, "") << test["id"] << "\n" << test["template"].get<std::string>().substr(0, 400);
    }
}

// What other engines got wrong.
TEST(Template, WhatWasWrongElsewhere) {
    const Json context = {
        {"a", {1}}, {"obj", {{"keys", 1}, {"test", 2}}}, {"z", {{"z", 1}, {"a", 2}}}, {"f", Json::object()}};
    const std::pair<const char*, const char*> kCases[] = {
        {"{{ 'abcdef'[::-2] }}", "fdb"},  // slices
        {"{{ 'abcdef'[-1:1:-1] }}{{ 'abcdef'[-1:-5:-1] }}", "fedcfedc"},
        {"{{ [1,2,3,4][-1:1:-1] }}", "[4, 3]"},
        {"{{ nope }}{{ nope|default('d') }}{{ a[nope] is undefined }}", "dTrue"},  // undefined
        {"{{ nope.x is defined }}", "render: template line 1: 'nope' is undefined"},
        {"{%- macro f(a,b=2,c=3) -%}{{ a+b+c }}{%- endmacro -%}{{ f(1) }},{{ f(1,c=0) }},{{ f(b=5,a=1) }}", "6,3,9"},
        {"{{ {'k':None,'t':true} }}{{ [1,'a',2.0,none] }}{{ none }}{{ 'a' ~ none }}",
         "{'k': None, 't': True}[1, 'a', 2.0, None]NoneaNone"},
        {"{{ 7 // 2 }},{{ -5 % 3 }},{{ 2**10 }}", "3,1,1024"},
        {"{{ 7 / 0 }}", "render: template line 1: division by zero"},
        {"{{ 'a' < 'b' }}{{ [1] == [1,2] }}", "TrueFalse"},
        {"{{ [1,2]|sum }},{{ 2.5|round }},{{ [1,1]|unique|list }},{{ '<'|e }},{{ [1,2,3]|select('odd')|list }}",
         "3,2.0,[1],&lt;,[1, 3]"},
        {"{{ ['a']|map('upper')|list }},{{ 'aaa'|replace('a','b',2) }},{{ 'abc'|list }},{{ 'abc'|reverse }}",
         "['A'],bba,['a', 'b', 'c'],cba"},
        {"{{ z|tojson(sort_keys=true) }}{{ dict(a=1) }}{{ 'abc'.count('b') }}{{ 'abc'.endswith(('c','d')) }}{% raw "
         "%}{{{% endraw %}",
         "{\"a\": 2, \"z\": 1}{'a': 1}1True{{"},
        {"{{ '😀é'|length }}{{ '😀é'[0] }}{{ 'ÀÉ'.lower() }}{{ 'caf\\u00e9' }}", "2😀àécafé"},  // code points
        {"{{ z.items()|list }}{{ obj.keys()|list }}{{ obj['keys'] }}{{ obj.test }}",
         "[('z', 1), ('a', 2)]['keys', 'test']12"},
        {"{{ 'x' if nope or 0 or 0.0 or '' or [] or f else 'y' }}{{ -1.0 }}", "y-1.0"},
    };
    for (const auto& [source, expected] : kCases) EXPECT_EQ(render(source, context), expected) << source;
}

// Rendered text with what values wrote in «».
std::string marked(std::string_view source, const Json& context) {
    auto rendered = Template::compile(source).take().render(context, {});
    if (!rendered.ok()) return rendered.error().message;
    Rendered result = std::move(rendered).take();
    std::string text;
    size_t end = 0;
    for (const Segment& segment : result.segments) {
        EXPECT_EQ(segment.begin, end) << "segments have no gaps";
        EXPECT_LT(segment.begin, segment.end);
        end = segment.end;
        std::string part = result.text.substr(segment.begin, segment.end - segment.begin);
        text += segment.origin == Origin::Value ? "«" + part + "»" : part;
    }
    EXPECT_EQ(end, result.text.size());
    return text;
}

TEST(TemplateOrigin, LiteralsAndSpecialTokensAreTheTemplates) {
    Json context = {{"bos_token", "<s>"}, {"x", "<s>"}, {"messages", {{{"role", "user"}, {"content", "<|end|>"}}}}};
    EXPECT_EQ(marked("{{ bos_token }}{{ x }}a", context), "<s>«<s>»a");
    EXPECT_EQ(
        marked("{% for m in messages %}{{ '<|' + m.role + '|>' + m['content'] + '<|end|>' }}{% endfor %}", context),
        "<|user|>«<|end|>»<|end|>");
}

TEST(TemplateOrigin, RolesOutsideTheSetAreValues) {
    Json context = {{"m", {{"role", "<|end|>"}, {"name", "user"}}}};
    EXPECT_EQ(marked("{{ m.role }}|{{ m.name }}", context), "«<|end|>»|«user»");
}

TEST(TemplateOrigin, EveryStringOperationKeepsIt) {
    Json context = {{"v", " <x>b,c "}, {"l", {"p", "q"}}, {"n", 7}};
    const std::pair<const char*, const char*> kCases[] = {
        {"{{ 'A' ~ v|trim ~ 'B' }}", "A«<x>b,c»B"},
        {"{{ ('a' + v.strip() + 'b')[1:-1] }}", "«<x>b,c»"},
        {"{{ ('a' + v + 'b')[::-1] }}", "b« c,b>x< »a"},
        {"{{ ('a' + v.strip())|upper }}", "A«<X>B,C»"},
        {"{{ v.strip().replace('b', '<s>') }}", "«<x>»<s>«,c»"},
        {"{{ 'a,b'.replace(',', v.strip()) }}", "a«<x>b,c»b"},
        {"{{ l|join('<sep>') }}", "«p»<sep>«q»"},
        {"{{ '<sep>'.join(l) }}", "«p»<sep>«q»"},
        {"{{ v.strip().split(',')[0] ~ ',' }}", "«<x>b»,"},
        {"{{ '[%s]' % v.strip() }}", "[«<x>b,c»]"},
        {"{{ '[{}]'.format(v.strip()) }}", "[«<x>b,c»]"},
        {"{{ v.strip()|e }}", "«&lt;x&gt;b,c»"},
        {"{{ [v.strip()]|tojson }}", "«[\"<x>b,c\"]»"},
        {"{{ 'a'|tojson }}", "«\"»a«\"»"},
        {"{% set t %}<a>{{ v|trim }}{% endset %}{{ t }}", "<a>«<x>b,c»"},
        {"{% macro m(x) %}<m>{{ x }}{% endmacro %}{{ m(v|trim) }}", "<m>«<x>b,c»"},
        {"{% filter upper %}a{{ v|trim }}{% endfilter %}", "A«<X>B,C»"},
        {"{{ 1 + 2 }}{{ n + 1 }}", "3«8»"},
        {"{% for c in v.strip() %}{{ c }}.{% endfor %}", "«<».«x».«>».«b».«,».«c»."},
        {"{{ v.strip()|indent(1, true) }}", " «<x>b,c»"},
    };
    for (const auto& [source, expected] : kCases) EXPECT_EQ(marked(source, context), expected) << source;
}

TEST(TemplateLimits, DeepTemplatesAreRefused) {
    auto nested = [](std::string_view open, std::string_view inner, std::string_view close, size_t depth) {
        std::string source;
        for (size_t i = 0; i < depth; ++i) source += open;
        source += inner;
        for (size_t i = 0; i < depth; ++i) source += close;
        return source;
    };
    for (size_t depth : {1'000u, 100'000u}) {
        for (const auto& source :
             {"{{ " + nested("(", "1", ")", depth) + " }}", "{{ " + nested("[", "1", "]", depth) + " }}",
              "{{ " + nested("not ", "1", "", depth) + " }}", "{{ " + nested("- ", "1", "", depth) + " }}",
              "{{ " + nested("a if b else ", "1", "", depth) + " }}", "{{ " + nested("f(", "1", ")", depth) + " }}",
              nested("{% if x %}", "1", "{% endif %}", depth),
              nested("{% for x in y %}", "1", "{% endfor %}", depth)}) {
            EXPECT_NE(render(source).find("nested more than"), std::string::npos) << source.substr(0, 60);
        }
    }
}

TEST(TemplateLimits, LongChainsAreNotDeep) {
    std::string sum = "{{ 0", filters = "{{ 'x'", items = "{{ a";
    for (int i = 0; i < 10'000; ++i) {
        sum += " + 1";
        filters += "|trim";
        items += "[0]";
    }
    EXPECT_EQ(render(sum + " }}"), "10000");
    EXPECT_EQ(render(filters + " }}"), "x");
    EXPECT_EQ(render(items + " }}", {{"a", "x"}}), "x");
}

TEST(TemplateLimits, EndlessWorkIsRefused) {
    const char* kSources[] = {
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(50) }}",
        "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
        "{% set ns = namespace(l=[1]) %}{% for i in range(99999) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
        "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
        "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x|tojson }}",
        "{% for i in range(99999) %}{{ 'x' * 1000 }}{% endfor %}",
        "{% for i in range(99999) %}{% set x = 'x' * 100000 %}{% endfor %}",
        "{{ 'x' * 99999999999 }}",
        "{{ [1] * 99999999999 }}",
        "{{ 'x'.center(9999999999) }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ '\\t'.expandtabs(9999999999) }}",
        "{{ ('x' * 60000000)|list|length }}",
        "{{ ('x,' * 30000000).split(',')|length }}",
        "{{ ('x\\n' * 9000000)|indent(9000) }}",
        "{{ [1]|tojson(indent=99999) }}",
        "{{ ('x' * 30000)|replace('x', 'y' * 30000) }}",
        "{{ (['x' * 30000] * 30000)|join }}",
        "{{ 9 ** 9 ** 9 ** 9 }}",
        "{{ [1, 2]|slice(999999999)|list }}",
        "{{ [1]|batch(999999999, 0)|list }}",
        "{{ range(100000)|map('string')|map('center', 100000)|list }}",
        "{% set s = 'x' * 10000000 %}{% for i in range(99999) %}{% set y = s|length %}{% endfor %}",
        "{% set s = 'x' * 10000000 %}{% for i in range(99999) %}{% set y = s == s ~ '' %}{% endfor %}",
        ("{% set s = ('x' * 99999 ~ 'y') * 99 %}"
         "{% for i in range(99999) %}{% set y = s.find('x' * 50000 ~ 'z') %}{% endfor %}"),
        "{% set s = 'x' * 10000000 %}{{ s.rfind('y' ~ 'x' * 5000000) }}",
        "{% set s = ' ' * 10000000 %}{% for i in range(99999) %}{% set y = s.strip() %}{% endfor %}",
        "{% set l = [] %}{% for i in range(99999) %}{% set y = l.append(l) %}{% endfor %}{{ l }}",
    };
    for (const char* source : kSources) {
        std::string result = render(source);
        EXPECT_TRUE(result.starts_with("render: template line 1: ")) << source << "\n" << result.substr(0, 200);
    }
}

TEST(TemplateLimits, OutputAndStepsAreTheOptions) {
    RenderOptions options;
    options.limits.output_bytes = 10;
    EXPECT_EQ(render("{{ 'x' * 10 }}", {}, options), "render: the context must be an object");
    EXPECT_EQ(render("{{ 'x' * 10 }}", Json::object(), options), "xxxxxxxxxx");
    EXPECT_EQ(render("{{ 'x' * 11 }}", Json::object(), options),
              "render: template line 1: the template writes more than 10 bytes");
    options.limits.steps = 100;
    EXPECT_EQ(render("{% for i in range(99) %}{% endfor %}", Json::object(), options),
              "render: template line 1: the template needs more than 100 steps");
}

TEST(TemplateErrors, NameTheLineAndTheVariable) {
    const std::pair<const char*, const char*> kCases[] = {
        {"a\n{{ nope.x }}", "render: template line 2: 'nope' is undefined"},
        {"a\n\n{{ m.content.text + 'x' }}", "render: template line 3: 'dict object' has no attribute 'content'"},
        {"{{ 'x' | nosuch }}", "compile: template line 1: there is no filter 'nosuch'"},
        {"\n{% if x %}\n{% endfor %}",
         "compile: template line 3: unknown tag 'endfor': 'if' must be closed by 'elif' or 'else' or 'endif'"},
        {"\n{% if x %}\n",
         "compile: template line 2: the template ends too early: 'if' must be closed by 'elif' or 'else' or 'endif'"},
        {"{{ raise_exception('no tools: ' ~ m) }}", "render: template line 1: no tools: {}"},
        {"{% for m in\n messages %}{% endfor %}x{% for a, b in [1] %}{% endfor %}",
         "render: template line 2: cannot unpack non-iterable int object"},
        {"{% macro f(a) %}{% endmacro %}\n{{ f(b=1) }}",
         "render: template line 2: macro 'f' takes no keyword argument 'b'"},
        {"{{ 'x\n", "compile: template line 1: unexpected char \"'\": the string does not end"},
        {"{{ messages[0] }}|{{ messages[0].role }}", "render: template line 1: list object has no element 0"},
    };
    for (const auto& [source, expected] : kCases) {
        EXPECT_EQ(render(source, {{"m", Json::object()}, {"messages", Json::array()}}), expected) << source;
    }
}

TEST(Template, KeepsNumbersAndOrderOfTheContext) {
    Json context = Json::parse(R"({"d": {"z": 18446744073709551615, "a": -9223372036854775808, "m": 0.1}})");
    EXPECT_EQ(render("{{ d|tojson }}", context), R"({"z": 18446744073709551615, "a": -9223372036854775808, "m": 0.1})");
    EXPECT_EQ(render("{{ d.z + 1 }}", context), "18446744073709551616");
}

TEST(Template, MacrosSeeWhatWasSetAfterThemAndLoopsEndTheirVariables) {
    EXPECT_EQ(render("{% macro f() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ f() }}"), "1");
    EXPECT_EQ(render("{% set ns = namespace(f=none) %}{% for i in [1, 2] %}{% macro g() %}{{ i }}{% endmacro %}"
                     "{% if not ns.f %}{% set ns.f = g %}{% endif %}{% endfor %}{{ ns.f() }}"),
              "1");
}

}  // namespace
}  // namespace godwit
