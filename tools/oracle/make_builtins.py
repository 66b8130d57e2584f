#!/usr/bin/env python3
"""Writes tests/golden/templates/builtins.json: what jinja2 makes of every builtin that its sandbox offers templates.

    python tools/oracle/make_builtins.py [cases of each builtin] [seed]        (needs jinja2 3.1.6)

The builtins are jinja2's own: the environment's filters, tests and globals, and what dir() finds on the values of a
template and the sandbox lets through. Their arguments are drawn by chance: count, kind, name, edge values, Unicode.
The environment is that of make_templates.py. A case is an expression and what `{{ [expression] }}` gives, null for an
error. The test that reads the file: tests/template/builtins_test.cpp; what is left out and why: docs/templates.md.
"""

import inspect
import json
import random
import re
import sys
import unicodedata
import warnings

import jinja2
from jinja2.runtime import Macro
from make_templates import GOLDEN, environment

OUT_OF_SCOPE = {
    "filter random": "chance", "global lipsum": "chance", "global raise_exception": "ours", "global strftime_now": "ours",
    "filter from_json": "ours",
}
BYTES_KEPT = {"decode", "hex"}
LONGEST = 240

INTEGERS = ["0", "1", "2", "3", "-1", "-2", "7", "42", "255", "1000", "-123456", "123456789", "10**18", "2**63", "-(2**64)"]
FLOATS = ["0.0", "-0.0", "0.5", "1.5", "2.5", "-3.75", "1e16", "1e22", "1.5e300", "1e-5", "3.14159265", "123456.789", "1e15",
          "100.0", *(f"(nope|default('{x}')|float)" for x in ("inf", "-inf", "nan"))]  # (jinja2 cannot fold these as constants)
STRINGS = ["''", "'a'", "'b'", "'ab'", "' '", "'Hello World'", "'  spaced \\t out\\n'", "'foo bar  baz-qux'", "'one\\ntwo\\r\\nthree\\n\\nfour'",
           "'a,b,,c'", "'aXbXc'", "'aaa'", "'42'", "'-7'", "' 3.50 '", "'0x1F'", "'1_000'", "'1e3'", "'nan'", "'\u0663\u0664'",
           "'Stra\u00dfe \u1e9e'", "'\u039f\u0394\u039f\u03a3 \u03a3 \u0391\u03a3.'", "'\u01c5emal \u01c6 \u01c4'", "'\ufb01n \u0130I\u0131'", "'\u00b2\u00bd\u2167\u4e00'",
           "'\U0001f600 e\\u0301'", "'\u00a0\u2003x\u3000'", "'<a href=\"x\">T & \\'q\\'</a>'", "'x &amp; y &lt;b&gt; &eacute;&#65;'", "'<b>bold</b> <!-- no --> text'",
           "'see http://example.com/a?b=1, www.x.org or me@site.net'", "'%s-%d'", "'%5.2f|%-5s|'", "'%(a)s'", "'{}-{}'", "'{0:>5}{a}'", "'{a[0]}{a.real}'",
           "'it\\'s'", "'\"q\"'", "'tab\\there'", "'back\\\\slash'", "'\\x00\\x7f\\x85'", "'path/to file?x=1&y=\u00e9'", "'HELLO'", "'\u00c9t\u00c9 \u00aa\u02b0'",
           "'Title Case'", "'They\\'re bill\\'s'", "'class'", "'x1'", "'a-b_c d.e'"]
MARKUP = ["('<i>m</i>'|safe)", "('a&b'|e)", "(''|safe)", "('%s &amp; {}'|safe)"]
LISTS = ["[]", "[1, 2, 3]", "[3, 1, 2]", "['b', 'A', 'c', 'a']", "[1, 'a']", "[[1, 2], [3]]", "[('a', 1), ('b', 2)]", "['x', 'y']", "[none, 1]", "[1.5, 2, true]",
         "[{'a': 2, 'name': 'X', 'b': {'c': 1}}, {'a': 1, 'name': 'y', 'b': {'c': 0}}, {'a': 2, 'name': 'Z'}]",
         "[{'a': 1}, {'b': 2}]", "['1', '2.5', 'x']", "['<', '>'|safe]", "[nope]", "['aa', 'b', '']", "[0, 1, 2, 3, 4, 5, 6]", "[[2, 1], [1, 2]]"]
TUPLES = ["()", "(1,)", "(1, 'b')", "('a', 'b', 'c')", "(2, 1)"]
DICTS = ["{}", "{'a': 1, 'B': 2}", "{'b': 'x', 'a': 'Y', 'c': none}", "{1: 2, 'x': [1]}", "{'class': 'a b', 'id': 'q\"q', 'n': none, 'd': 3}",
         "{97: 'z', 98: none, 99: 100}", "{'a': {'b': [1, 2.5, true]}, 'k': 'v\u00e9<'}", "{(1, 2): 'p'}", "{'items': 1, 'keys': 2}"]
OTHERS = ["none", "true", "false", "nope", "range(4)", "range(5, -3, -2)", "'\u00e9'.encode()", "{'a': 1, 'b': 2}.items()", "{'a': 1}.keys()", "{'a': 1}.values()",
          "([1, 2, 3]|map('string'))", "(['a', 'B']|select('lower'))", "namespace(a=1, b='x')", "dict(a=1)"]
KINDS = [INTEGERS, FLOATS, STRINGS, STRINGS, STRINGS, MARKUP, LISTS, LISTS, TUPLES, DICTS, DICTS, OTHERS]
SMALL = ["0", "1", "2", "3", "5", "10", "-1", "-3", "20"]
HINTS = {
    "attribute": ["'a'", "'name'", "0", "1", "'b.c'", "'a,name'", "'nope'", "'0'", "none"], "by": ["'key'", "'value'", "'x'"],
    "method": ["'common'", "'ceil'", "'floor'", "'x'"], "base": ["2", "8", "10", "16", "36", "0", "1"], "name": ["'a'", "'upper'", "'items'", "'real'", "'__class__'"],
    "chars": ["'a'", "'<x '", "none"], "wrapstring": ["'|'", "'\\n  '"], "rel": ["'x'", "'nofollow me'", "none"], "target": ["'_blank'", "none"],
    "extra_schemes": ["['ftp:']", "none", "['x']"], "encoding": ["'utf-8'", "'ascii'", "'latin-1'"], "errors": ["'strict'", "'ignore'", "'replace'"],
    "indent": ["none", "0", "2", "'\\t'", "true"], "separators": ["none", "(',', ':')", "[' ,', '= ']", "('a',)"], "byteorder": ["'big'", "'little'", "'x'"],
    "env": [], "start": ["0", "1", "2.5", "[]", "'a'", "-2"], "sep": ["','", "' '", "'X'", "none", "''", "'b'", "'\\n'"],
}
NUMERIC_NAMES = {"width", "precision", "linecount", "slices", "length", "leeway", "count", "maxsplit", "tabsize", "num", "trim_url_limit", "stop", "end", "step"}

STRICT = {"trim_url_limit", "separators", "indent", "length", "leeway"}  # other kinds are errors only where they are used

# What docs/templates.md lists as left out, by what the expression or its result looks like.
LEFT_OUT = [
    r"(?i) at 0x|<class |<function |<bound method|<built-in|generator object", r"(?i)generator%20object|&lt;generator", r"\\ud800", r"\.mapping\b", r"\d+(\.\d+)?(e-\d+)?j\)",
    r"(keys|items)\(\)\) [-<>&|^]|[-<>] \(\{.*\}\.(keys|items)\(\)|groupby.*\.(keys|items)\(\)", r"''\.encode\(\)\)\.decode|wordcount.*generator",
]


class Draw:
    """Pieces of expressions."""

    def __init__(self, env, seed):
        self.random = random.Random(seed)
        self.env = env

    def one(self, pool):
        return pool[self.random.randrange(len(pool))]

    def value(self):
        return self.one(self.one(KINDS))

    def argument(self, name=""):
        chance = self.random.random()
        if name in HINTS and HINTS[name] and (chance < 0.75 or name in STRICT):
            return self.one(HINTS[name])
        if name in STRICT or name in NUMERIC_NAMES and chance < 0.8:
            return self.one(SMALL)
        if chance < 0.3:
            return self.one(SMALL)
        if chance < 0.6:
            return self.one(["'a'", "'b'", "'.'", "'ab'", "''", "' '", "'X'", "'<'", "'\u00e9'", "'\u03a3'", "'l'", "'o'"])
        if chance < 0.7:
            return self.one(["true", "false", "none"])
        return self.value()

    def arguments(self, parameters):
        """For parameters that are a list of names, or None where Python does not tell."""
        if parameters is None:
            return [self.argument() for _ in range(self.random.choice([0, 0, 1, 1, 1, 2, 2, 3]))]
        names = [p for p in parameters if not p.startswith("*")]
        count = self.random.randint(0, len(names))
        if self.random.random() < 0.05:
            count = len(names) + 1
        made = [self.argument(names[i] if i < len(names) else "") for i in range(count)]
        if "*args" in parameters:
            test_or_filter = self.one(["'upper'", "'int'", "'string'", "'odd'", "'lower'", "'defined'", "'eq'", "'in'", "'divisibleby'", "'first'", "'>'", "'round'", "'x'", "'join'"])
            made = [self.argument("attribute"), test_or_filter, self.argument()][self.random.choice([0, 1]):][:self.random.randint(0, 3)]
        for name in names[count:]:
            if self.random.random() < 0.3:
                made.append(f"{name}={self.argument(name)}")
        if "**kwargs" in parameters and self.random.random() < 0.4:
            made.append(self.one(["attribute='a'", "attribute='name', default='-'", "a=1", "attribute=0", "x='<', y=2", "default=3"]))
        if self.random.random() < 0.03:
            made.append("unknown=1")
        return made


def parameters_of(function):
    try:
        signature = inspect.signature(function)
    except ValueError:
        return None
    made = []
    for parameter in signature.parameters.values():
        made.append({parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name)
    return made


def filter_parameters(function):
    names = parameters_of(function)
    if names is None:
        return None
    if getattr(function, "jinja_pass_arg", None) is not None:
        names = names[1:]
    return names[1:]


# Receivers of methods: of each, dir() is walked.
RECEIVERS = {
    "str": STRINGS, "Markup": MARKUP, "list": LISTS, "tuple": TUPLES, "dict": DICTS, "int": INTEGERS, "bool": ["true", "false"],
    "float": FLOATS, "NoneType": ["none"], "Undefined": ["nope"], "range": ["range(4)", "range(9, -3, -2)", "range(0)"], "bytes": ["'\u00e9a'.encode()", "''.encode()"],
    "view": ["{'a': 1, 'b': 2}.items()", "{'a': 1}.keys()", "{}.values()"], "Namespace": ["namespace(a=1)"],
    "Cycler": ["cycler(1, 2)"], "Joiner": ["joiner()", "joiner('|')"],
    "Macro": ["[f]|first"], "LoopContext": ["[]"],
}


def safe_names(env, value):
    found = []
    for name in sorted(set(dir(value))):
        try:
            if env.is_safe_attribute(value, name, getattr(value, name)):
                found.append(name)
        except AttributeError:
            pass
    return found


def groups(env, draw):
    """(name of the builtin, function that draws an expression)."""
    for name in sorted(env.filters):
        def expression(name=name, parameters=filter_parameters(env.filters[name])):
            arguments = ", ".join(draw.arguments(parameters))
            value = draw.value()
            if name in ("wordcount", "urlencode") and "|" in value:
                value = "'a b'"  # the address of a generator would be counted
            return f"({value})|{name}" + (f"({arguments})" if arguments or draw.random.random() < 0.1 else "")
        yield f"filter {name}", expression
    for name in sorted(env.tests):
        def expression(name=name, parameters=filter_parameters(env.tests[name])):
            arguments = ", ".join(draw.arguments(parameters))
            if not name.isalpha():
                return f"[{draw.value()}, {draw.value()}]|select('{name}'{', ' + arguments if arguments else ''})"
            return f"({draw.value()}) is {name}" + (f"({arguments})" if arguments else "")
        yield f"test {name}", expression
    for name in sorted(env.globals):
        def expression(name=name, parameters=parameters_of(env.globals[name]) if not isinstance(env.globals[name], type) else None):
            arguments = ", ".join(draw.arguments(parameters))
            if draw.random.random() < 0.3:
                arguments += (", " if arguments else "") + draw.one(["a=1", "x='y', z=[2]", "sep='/'", "**{'k': 1}", "*[1, 2]"])
            tail = {"cycler": draw.one(["", ".next()", ".current", ".items", ".pos", ".reset()"]), "joiner": draw.one(["()", ".sep", ".used"]),
                    "namespace": draw.one(["", ".a", ".x", ".nope"])}.get(name, "")
            return f"{name}({arguments}){tail}"
        yield f"global {name}", expression
    for kind, receivers in RECEIVERS.items():
        if kind in ("Macro", "LoopContext"):
            continue
        probe = env.compile_expression(receivers[0], undefined_to_none=False)()
        for name in safe_names(env, probe):
            if kind == "bytes" and name not in BYTES_KEPT:
                continue
            def expression(name=name, receivers=receivers, parameters=parameters_of(getattr(probe, name)) if callable(getattr(probe, name)) else [], callable_=callable(getattr(probe, name))):
                receiver = draw.one(receivers)
                if not callable_:
                    return f"({receiver}).{name}"
                if name in ("format", "__mod__") and draw.random.random() < 0.5:
                    receiver = draw.one(["'{}'", "'{0}{1}'", "'{a}'", "'{a!r}{0[0]}'", "'{:>10}'", "'{:{}}'", "'{0:{a}}'", "'{!r:>{0}}'"])
                arguments = draw.arguments(parameters)
                if name in ("format", "format_map", "escape") and draw.random.random() < 0.5:
                    arguments += ["a=[1, 2]"]
                if name == "maketrans" and draw.random.random() < 0.7:
                    arguments = draw.one([["{'a': 'b', 98: none}"], ["'ab'", "'xy'"], ["'ab'", "'xy'", "'c'"], ["'ab'", "'x'"]])
                if name == "translate" and draw.random.random() < 0.7:
                    arguments = [draw.one(["{97: 'Z', 98: none, 99: 100}", "''.maketrans('lo', '01')", "''.maketrans({'H': 'hh', 'e': none})"])]
                return f"({receiver}).{name}({', '.join(arguments)})"
            yield f"{kind}.{name}", expression
    yield from grammar(draw)


UNUSUAL = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and chr(c).isprintable() and unicodedata.category(chr(c)) != "Cn" and
           (len(chr(c).upper()) > 1 or chr(c).upper() != chr(c).title() or chr(c).casefold() != chr(c).lower() or
            chr(c).isnumeric() != chr(c).isdecimal() or "a\u03a3" + chr(c) != ("A\u03a3" + chr(c)).lower() and chr(c).islower())]


def format_spec(draw):
    one = draw.one
    return (one(["", "", "<", ">", "^", "=", "*<", "\u00e9>", "0^"]) + one(["", "", "+", "-", " "]) + one(["", "", "", "#"]) + one(["", "", "0"]) +
            one(["", "", "5", "12", "1"]) + one(["", "", "", ",", "_"]) + one(["", "", ".2", ".0", ".10"]) +
            one(["", "d", "f", "e", "g", "G", "E", "F", "%", "s", "x", "X", "o", "b", "c", "n", "r"]))


def percent_spec(draw):
    one = draw.one
    return (one(["", "", "-", "0", "+", " ", "#", "-0", "+0"]) + one(["", "", "6", "1", "*", "12"]) + one(["", "", ".2", ".0", ".10", ".*", "."]) +
            one(["", "", "", "l"]) + one(list("diouxXeEfFgGcrsa%") + ["y"]))


def grammar(draw):
    """What is no builtin by name: operators, subscripts, formats, literals."""
    number = lambda: draw.one(INTEGERS + FLOATS)
    any_kind = lambda: draw.value()
    operators = ["+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "~", "and", "or"]

    def operation():
        left, right = (number(), number()) if draw.random.random() < 0.4 else (any_kind(), any_kind())
        if draw.random.random() < 0.3:
            pool = draw.one(KINDS)
            left, right = draw.one(pool), draw.one(pool)
        return f"({left}) {draw.one(operators)} ({right})"
    for _ in range(8):
        yield f"operator {_}", operation
    yield "operator **", lambda: f"({draw.one(SMALL + ['0.5', '2.0', '-1.5', 'true', '0.0'])}) ** ({draw.one(SMALL + ['0.5', '-0.5', '2.0'])})"
    yield "chained comparison", lambda: f"{number()} {draw.one(operators[6:12])} {number()} {draw.one(operators[6:12])} {number()}"
    yield "unary", lambda: f"{draw.one(['-', '+', 'not ', '- -', '-+'])}({any_kind()})"
    bound = lambda: draw.one(["", "", "0", "1", "2", "-1", "-2", "5", "100", "-100", "none", "true", "1.0", "'a'"])
    sliced = lambda: draw.one(draw.one([STRINGS, LISTS, TUPLES, MARKUP, ["range(7)", "range(9, 0, -2)", "'\u00e9a'.encode()", "nope", "{'a': 1}", "3"]]))
    letters = lambda: "".join(draw.one(UNUSUAL + ["\u03a3", "a", "A", " ", "'", "."][:draw.random.choice([0, 6])] * 200) for _ in range(draw.random.randint(1, 9))).replace("'", "\\'")
    methods = ["upper", "lower", "title", "capitalize", "casefold", "swapcase", "isnumeric", "isdigit", "isalnum", "istitle", "isupper", "islower", "isidentifier"]
    for _ in range(6):
        yield f"unusual letters {_}", lambda: f"'{letters()}'.{draw.one(methods)}()" if draw.random.random() < 0.8 else f"'{letters()}'|{draw.one(['title', 'capitalize', 'upper', 'lower', 'wordcount'])}"
    yield "slice", lambda: f"({sliced()})[{bound()}:{bound()}{draw.one(['', '', ':' + bound()])}]"
    yield "subscript", lambda: f"({any_kind()})[{draw.argument()}]"
    yield "attribute", lambda: f"({any_kind()}).{draw.one(['a', 'name', 'real', 'items', 'keys', 'nope', '__class__', '_x', 'upper', '0', '1', 'mro', 'append', 'update'])}" + draw.one(["", " is defined"])
    yield "conditional", lambda: f"{any_kind()} if {any_kind()}" + draw.one(["", f" else {any_kind()}"])
    format_value = lambda: draw.one(INTEGERS + FLOATS + ["'ab'", "'\u00e9'", "true", "none", "[1]", "nope", "'<'|safe", "65", "-65", "1234567", "1234567.891", "0.000012345"])
    yield "format of %", lambda: f"'[%{percent_spec(draw)}]' % " + draw.one([f"({format_value()})", f"({format_value()},)", f"({draw.one(SMALL)}, {format_value()})", f"(8, 3, {format_value()})"])
    yield "format of % by key", lambda: f"'%(a){percent_spec(draw).replace('*', '')}' % " + draw.one([f"{{'a': {format_value()}}}", f"{{'b': {format_value()}}}"])
    for _ in range(2):
        yield f"format of braces {_}", lambda: f"'{{:{format_spec(draw)}}}'.format({format_value()})"
    yield "format, nested", lambda: f"'{{0{draw.one(['', '!r', '!s', '!a'])}:{{{draw.one(['1', 'w', '', '1[0]', 'w.real'])}}}}}'.format({format_value()}, {draw.one(['6', '9', repr('>7'), '[5]'])}, w=8)"
    yield "format, fields", lambda: "'" + draw.one(["{}{}", "{0}{}", "{a.b}", "{a[b]}", "{a[0]}", "{0[1]}", "{0.real}", "{{}}", "{", "}", "{0!x}", "{a[}", "{!r}", "{-1}", "{0:}", "{a.__class__}", "{ }", "{0[a]}"]) + f"'.format({any_kind()}, a={any_kind()})"
    yield "markup format", lambda: f"('{draw.one(['{}', '<{0}>', '{a}', '{!r}', '{:>9}'])}'|safe).format({any_kind()}, a='<')"
    yield "markup %", lambda: f"('{draw.one(['%s', '<%s>', '%r', '%5s', '%d', '%(a)s'])}'|safe) % ({draw.one([any_kind(), '{' + repr('a') + ': ' + repr('<') + '}'])})"
    escape = lambda: draw.one(["\\n", "\\x41", "\\u00e9", "\\U0001f600", "\\101", "\\0", "\\8", "\\q", "\\\\", "\\'", "\\\"", "\\\n", "\\xZZ", "a", "\u00e9", "\\a\\b\\f\\v", "\\777"])
    yield "string literal", lambda: "'" + "".join(escape() for _ in range(draw.random.randint(1, 4))) + "'" + draw.one(["", " 'b'"])
    yield "number literal", lambda: draw.one(["1_000", "0x_1F", "0b101", "0o17", "1e3", "1.5E-3", "1_0.0_1", "0xG", "1__0", "01", "0", "00", "1.", ".5", "1e", "1_", "0b2", "1.5.real", "1.real", "12e400", "0.1e-400", "9" * 38])
    yield "path of attributes", lambda: f"({draw.one(LISTS + DICTS)})|map(attribute='{draw.one(['a', 'b.c', '0', '0.a', '1', 'name', 'name.0', '-1', ''])}')"
    yield "generator", lambda: f"[{draw.one(LISTS)}|{draw.one(['map(' + repr('upper') + ')', 'select', 'reject', 'map(' + repr('int') + ')', 'batch(2)', 'slice(2)', 'unique', 'list', 'reverse', 'items'])}]|map('{draw.one(['first', 'list', 'join', 'last', 'max', 'sum', 'sort'])}')"
    yield "chain", lambda: f"({any_kind()})|{draw.one(FILTERS)}|{draw.one(FILTERS)}|{draw.one(FILTERS)}"


FILTERS = ["upper", "lower", "title", "capitalize", "trim", "list", "first", "last", "join", "join(',')", "length", "sort", "unique|list", "reverse|list", "e", "safe", "string",
           "int", "float", "round", "abs", "tojson", "pprint", "default('d')", "map('string')|list", "map('upper')|list", "select|list", "indent", "replace('a', 'b')", "striptags",
           "urlencode", "wordcount", "batch(2)|list", "slice(2)|list", "items|list", "dictsort", "sum", "min", "max", "center(9)", "truncate(5)", "wordwrap(4)", "xmlattr", "urlize", "forceescape",
           "groupby(0)", "format(1)", "filesizeformat", "attr('a')", "map(attribute='a')|list"]


def has_giant(text):
    return any(abs(int(number)) >= 2 ** 127 for number in re.findall(r"\d{39,}", text))


def outcome(env, source):
    """What the template gives; None: an error; False: not comparable."""
    try:
        text = env.from_string(source).render()
        text.encode()
    except UnicodeEncodeError:
        return False
    except MemoryError:
        return False
    except RecursionError:
        return False
    except Exception:  # whatever Python raises on the way
        return None
    if len(text) > LONGEST or has_giant(text) or any(re.search(pattern, source + text) for pattern in LEFT_OUT):
        return False
    return text


def cases_of(env, name, expression, wanted):
    """Few errors; each result at most a few times."""
    cases, errors, seen, results = [], 0, set(), {}
    for _ in range(wanted * 12):
        drawn = expression()
        if len(cases) >= wanted or drawn in seen:
            continue
        seen.add(drawn)
        result = outcome(env, "{{ [" + drawn + "] }}")
        if result is False:  # a generator prints its address
            drawn = f"({drawn})|list"
            result = outcome(env, "{{ [" + drawn + "] }}")
        if result is False or (result is None and errors >= wanted // 5) or results.get(result, 0) >= max(2, wanted // 5):
            continue
        errors += result is None
        results[result] = results.get(result, 0) + 1
        cases.append([drawn, result])
    return cases


def main():
    if jinja2.__version__ != "3.1.6":
        raise SystemExit(f"jinja2 3.1.6 is wanted, this is {jinja2.__version__}")
    warnings.simplefilter("ignore")
    wanted, seed = (int(sys.argv[1]) if len(sys.argv) > 1 else 24), (int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    env = environment()
    env.cache = None
    draw = Draw(env, seed)
    lines = []
    for name, expression in groups(env, draw):
        if name not in OUT_OF_SCOPE:
            lines += [f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases_of(env, name, expression, wanted)) + "\n]"]
    templates = [[source, outcome(env, source)] for source in STATEMENTS]
    text = "{\n\"about\": \"[expression, what jinja2 3.1.6 makes of {{ [expression] }}; null: an error]; by tools/oracle/make_builtins.py\",\n"
    text += "\"builtins\": {\n" + ",\n".join(lines) + "\n},\n"
    text += "\"templates\": [\n" + ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in templates) + "\n]\n}\n"
    (GOLDEN / "builtins.json").write_text(text)
    print(f"{len(lines)} builtins, {text.count(chr(10))} lines, {len(text.encode())} bytes")


# Statements: whole templates. Where jinja2's compiler decides (break and else, scopes), these say how.
STATEMENTS = r"""
{% for i in [] %}x{% else %}none{% endfor %}|{% for i in [1] %}{{ i }}{% else %}none{% endfor %}
{% for i in [1,2] %}{{ i }}{% break %}{% else %}else{% endfor %}
{% for i in [1,2,3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% else %}else{% endfor %}
{% for i in [1,2] %}{{ i }}{% continue %}{% else %}else{% endfor %}
{% for i in [1,2] if i > 5 %}{{ i }}{% else %}none{% endfor %}
{% for i in [1,2,3,4] if i is even %}{{ loop.index }}/{{ loop.length }}:{{ i }} {% endfor %}
{% for i in nope %}x{% else %}none{% endfor %}
{% for i in 3 %}x{% endfor %}
{% for a, b in [(1, 2), (3, 4)] %}{{ a }}-{{ b }} {% endfor %}
{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}
{% for c in 'aé😀' %}[{{ c }}]{% endfor %}
{% for i in range(3) %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}
{% for i in 'abc' %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }} {% endfor %}
{% for i in 'abc' %}{{ loop.previtem is defined }}{{ loop.nextitem is undefined }}{% endfor %}
{% for i in [1,1,2,2,1] %}{{ loop.changed(i) }} {% endfor %}
{% for i in [1,1] %}{{ loop.changed() }}{{ loop.changed(i, 2) }}{% endfor %}
{% for i in range(5) %}{{ loop.cycle('a', 'b', 'c') }}{% endfor %}
{% for i in [1] %}{{ loop.cycle() }}{% endfor %}
{% for i in [1] %}{{ loop.nope is defined }}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}
{% for i in [1, [2, [3]]] recursive %}{% if i is iterable %}({{ loop(i) }}){% else %}{{ loop.depth }}:{{ i }} {% endif %}{% endfor %}
{% for i in [[1, 2], [3]] recursive %}{{ loop.index }}{{ loop.depth0 }}{% if i is sequence %}[{{ loop(i) }}]{% endif %}{% endfor %}
{% for i in [1] %}{{ loop([2]) }}{% endfor %}
{% for i in [1,2] %}{% for j in [3] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}
{% for i in [1,2] %}{% set outer = loop %}{% for j in 'ab' %}{{ outer.index }}{{ j }}{% endfor %}{% endfor %}
{% for i in [1,2] %}{% set x = i %}{% endfor %}{{ x }}
{% set x = 0 %}{% for i in [1,2] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}
{% set ns = namespace(n=0) %}{% for i in [1,2,3] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}{{ ns.nope }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns['a'] }}{{ ns }}
{% set x = {} %}{% set x.a = 1 %}
{% set ns.a = 1 %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set a, b = b, a %}{{ a }}{{ b }}
{% set a, b = [1] %}
{% set a %}text {{ 1 + 1 }}{% endset %}[{{ a }}]
{% set a | upper | replace('E', '3') %}text{% endset %}[{{ a }}]
{% set a | length %}text{% endset %}{{ a + 1 }}
{% if nope %}1{% elif 0 %}2{% elif '' %}3{% else %}4{% endif %}
{% if true %}{% set y = 1 %}{% endif %}{{ y }}
{% if nope.x %}{% endif %}
{% macro m(a, b='B', c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}|{{ m(1, 2, 3) }}|{{ m(b=5, a=4) }}|{{ m() }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}|{{ m() }}|{{ m(a=1, b=2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% macro m(a) %}{{ kwargs }}{% endmacro %}{{ m(1, a=2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}
{% macro m(a, b=1) %}{{ varargs }}{% endmacro %}{{ m.name }} {{ m.arguments }} {{ m.catch_varargs }} {{ m.catch_kwargs }} {{ m.caller }} {{ m.explicit_caller }}
{% macro m(a, caller=none) %}{{ caller() if caller }}{{ a }}{% endmacro %}{{ m.explicit_caller }}{{ m.arguments }}{{ m(1) }}{% call m(2) %}c{% endcall %}
{% macro m(caller) %}x{% endmacro %}ok
{% macro m(caller) %}{{ caller }}{% endmacro %}ok
{% macro m() %}{{ caller is defined }}{{ caller }}{% endmacro %}{{ m() }}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}in{% endcall %}
{% macro m() %}<{{ caller('x', b='y') }}>{% endmacro %}{% call(a, b='z') m() %}{{ a }}{{ b }}{% endcall %}
{% macro m() %}x{% endmacro %}{% call m() %}in{% endcall %}
{% call 5 %}x{% endcall %}
{% call 'a'.upper() %}x{% endcall %}
{% call [1].count(1) %}x{% endcall %}
{% call nope() %}x{% endcall %}
{% macro m(n) %}{{ n }}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}
{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}
{% macro m() %}{% set x = 2 %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}{{ x }}
{% macro m() %}{% endmacro %}[{{ m() }}]{{ m() is string }}{{ m() == '' }}{{ m is callable }}
{% macro m() %}{% for i in [1,2] %}{% break %}{% endfor %}a{% endmacro %}{{ m()|upper }}
{% macro m(x) %}[{{ x }}]{% endmacro %}{{ ['a', 'b']|map('upper')|map('string')|map('length')|list }}{{ m(m(1)) }}
{% filter upper %}a{{ 'b' }}{% endfilter %}|{% filter upper|replace('A', 'x')|indent(2, true) %}a{% endfilter %}
{% filter length %}abc{% endfilter %}
{% filter nosuch %}abc{% endfilter %}
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% with %}{% set z = 1 %}{{ z }}{% endwith %}{{ z }}
{% with a, b = (1, 2) %}{{ a }}{{ b }}{% endwith %}
{% block a %}A{{ 1 }}{% endblock %}|{{ self.a() }}|{{ self.nope }}|{{ self['a']() }}
{% block a %}A{% endblock a %}{% block b %}B{{ self.a() }}{% endblock b %}
{% block a %}A{% endblock b %}
{% block a %}A{% endblock %}{% block a %}B{% endblock %}
{% set x = 1 %}{% block a %}{{ x }}{% set x = 2 %}{{ x }}{% endblock %}{{ x }}
{% for i in [1,2] %}{% block a %}[{{ i }}]{% endblock %}{% endfor %}
{% for i in [1,2] %}{% block a scoped %}[{{ i }}]{% endblock %}{% endfor %}
{% for i in [1,2] %}{% block a %}{{ loop is defined }}{% endblock %}{% endfor %}
{% with x = 1 %}{% block a %}[{{ x }}]{% endblock %}{% endwith %}
{% block a required %}{% endblock %}
{% block a required %} {# c #} {% endblock %}
{% block a required %}x{% endblock %}
{% block a %}{{ super() }}{% endblock %}
{% block a %}{{ super }}x{% endblock %}
{{ self }}
{% macro m() %}{{ self.a() }}{% endmacro %}{% block a %}A{% endblock %}{{ m() }}
{% macro m() %}M{% endmacro %}{% block a %}{{ m() }}{% endblock %}
{{ self.a() }}{% set x = 1 %}{% block a %}{{ x }}{% endblock %}
{{ self.a(1) }}{% block a %}x{% endblock %}
{% block a %}{% block b %}B{% endblock %}{% endblock %}{{ self.b() }}
{% block a %}{% break %}{% endblock %}
{% autoescape true %}{{ '<' }}{{ '<'|safe }}{{ 1 }}<b>{{ ['<'] }}{{ none }}{% endautoescape %}{{ '<' }}
{% autoescape true %}{% set x %}<{{ '<' }}{% endset %}{{ x }}{{ [x] }}{% endautoescape %}{{ x }}
{% autoescape true %}{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m('<') }}{{ [m('&')] }}{% endautoescape %}{{ m('<') }}{{ [m('&')] }}
{% macro m(a) %}<{{ a }}>{% endmacro %}{% autoescape true %}{{ m('<') }}{{ [m('&')] }}{% endautoescape %}
{% autoescape true %}{{ ['<', '>'|safe]|join('&') }}{{ ['<']|join('&') }}{{ ['<']|join('&'|safe) }}{% endautoescape %}
{% autoescape true %}{{ 'a<b'|replace('<', '&') }}{{ ('a<b'|safe)|replace('<', '&') }}{{ 'a<b'|replace('<'|safe, '&') }}{{ 'a<b'|replace('b', '&'|safe) }}{% endautoescape %}
{% autoescape true %}{{ {'a': '<'}|xmlattr }}{{ 'x http://a.bc/'|urlize }}{{ '<b>x</b>'|striptags }}{{ '<'|upper }}{% endautoescape %}
{% autoescape true %}{% filter upper %}<{{ '<' }}{% endfilter %}{% call [1].copy() %}{% endcall %}{% endautoescape %}
{% autoescape true %}{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}{{ '<' }}&{% endcall %}{% endautoescape %}
{% autoescape true %}{% for i in [['<']] recursive %}{{ loop(i) if i is not string else i }}{% endfor %}{% endautoescape %}
{% autoescape false %}{{ '<' }}{% autoescape 1 %}{{ '<' }}{% endautoescape %}{{ '<' }}{% endautoescape %}
{% include 'x' %}
a{% include 'x' ignore missing %}
{% import 'x' as y %}
{% from 'x' import y %}
{% extends 'x' %}
{% if false %}{% include 'x' %}{% endif %}a
{% do [].append(1) %}
{% trans %}x{% endtrans %}
{{ _('x') }}
{{ gettext }}
{% debug %}
{% print 1, 'a' %}
{% raw %}{{ x }}{% if %}{% endraw %}|{%- raw -%} {{ y }} {%- endraw -%} |
{# comment {{ x }} #}a{#- b -#} c
a
  {% if true %}
    b
  {% endif %}
c
<p>
  {%- if true -%}  x  {%- endif +%}
  {{- ' y ' -}}  z
# for i in [1]
# endfor
## x
{% set x = [1,2]|map('string') %}{{ x|list }}{{ x|list }}
{% set x = [1,2,3]|select %}{{ x|first }}{{ x|first }}{{ x|list }}{{ x|first is undefined }}
{% set x = [1,2,3]|select %}{{ 2 in x }}{{ x|list }}
{% set x = [1,0]|map('nosuch') %}a{{ x is defined }}{{ x is iterable }}
{% set x = ['a', 1]|map('upper', 'x') %}a
{% set x = [[2], 1]|map('first') %}{{ x|first }}
{% set x = [[2], 1]|map('first') %}{{ x|list }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.next() }}{{ c.pos }}{% set _ = c.reset() %}{{ c.current }}{{ c.items }}{{ c.reset() }}
{% set j = joiner() %}{{ j() }}a{{ j() }}b{{ j() }}c|{% set k = joiner(1) %}{{ k.used }}{{ k() }}{{ k() }}{{ k.used }}{{ k.sep }}
{% set j = joiner(sep='|') %}{{ j() }}{{ j() }}{{ j(1) }}
{{ cycler() }}
{{ cycler(1)() }}
{% set l = [1] %}{% set _ = l.append(2) %}{{ l }}{{ l.pop() }}{{ l.pop(0) }}{{ l }}
{{ [].insert(0, 1) }}
{{ {}.update({}) }}
{{ {}.setdefault('a', 1) }}
{{ ''.__class__ }}|{{ [].__len__ }}|{{ none.x }}
{{ ''.__class__.__mro__ }}
{{ nope }}|{{ nope|length }}|{{ nope|list }}|{{ nope == none }}|{{ nope == nada }}|{{ nope is undefined }}
{{ nope + 1 }}
{{ nope < 1 }}
{{ nope.x }}
{{ nope() }}
{{ -nope }}
{{ nope['x'] }}
{{ nope|int }}
{{ nope|float }}
{{ nope|abs }}
{{ nope ~ 'a' }}{{ [nope] }}{{ nope or 'b' }}{{ not nope }}{{ 'a' if nope }}
{{ nope in [1] }}{{ 1 in nope }}
{{ {nope: 1} }}
{{ 'x' is nosuch }}
{{ 'x'|nosuch }}
{% if false %}{{ 'x'|nosuch }}{{ 'x' is nosuch }}{% endif %}a
{{ 1 if false else 'x'|nosuch }}
{{ true and false or true }}{{ not true == false }}{{ 1 < 2 < 3 }}{{ 3 > 2 == 2 }}{{ 1 in [1] in [[1]] }}
{{ 2 ** 3 ** 2 }}{{ -2 ** 2 }}{{ 2 ** -1 }}{{ 7 // -2 }}{{ 7 % -2 }}{{ -7 % 2 }}{{ 7.5 // 2 }}
{{ 1 + 2 ~ 3 * 4 }}{{ 'a' ~ 1 + 2 }}{{ 1 is odd and 2 is even }}{{ 1 is not even }}{{ not 1 is odd }}
{{ -1|abs }}{{ (-1)|abs }}{{ 1 + -2|abs }}{{ 'a' + 'b'|upper }}{{ 5 is divisibleby 5 }}{{ 5 is divisibleby(2) }}{{ 3 is in [3] }}
{{ 'a.b'.split('.')[0].upper() }}{{ [1, 2].0 }}{{ {'a': {'b': 1}}.a.b }}{{ 'abc'[1:] }}{{ 'abc'.1 }}
{{ (1,) }}{{ () }}{{ (1, 2) }}{{ 1, 2 }}{{ [1,] }}{{ {'a': 1,} }}
{{ {'a': 1}['b'] is undefined }}{{ [1][5] is undefined }}{{ 'a'[5] is undefined }}
{{ range(3)[1] }}{{ range(10)[2:5]|list }}{{ range(3) == range(0, 3) }}{{ 3 in range(4) }}{{ range(2, 8, 3)|list }}
{{ [3, 1]|sort }}{{ ['b', 'A']|sort }}{{ ['b', 'A']|sort(case_sensitive=true) }}{{ [1, 'a']|sort }}
{{ dict(a=1, **{'b': 2}) }}{{ dict([('a', 1)], b=2) }}{{ dict({'a': 1}) }}
{{ dict(1) }}
{{ 'a' 'b' "c" }}{{ 'Aé1' }}
{{ "ab" }}
{{ 1.5e3 }}{{ 1_000 }}{{ 0x10 }}{{ 1e100 }}{{ 1.0 }}{{ 100000000000000000.0 }}{{ 0.1 + 0.2 }}
{{ true }}{{ True }}{{ none }}{{ None }}{{ [true, none] }}{{ true + 1 }}
{{ {'a': 1} == {'a': 1.0} }}{{ [1] == (1,) }}{{ 'a' == 1 }}{{ 1 == true }}{{ none == false }}
{{ [1] < [2] }}{{ [1, 2] < [1] }}{{ 'a' < 'B' }}{{ (1, 2) > (1,) }}
{{ {} < {} }}
{{ none < 1 }}
{{ 'x' * 3 }}{{ 3 * [1] }}{{ 'x' * -1 }}{{ (1,) * 2 }}
{{ 'x' * 1.0 }}
{{ 1 / 2 }}{{ 4 / 2 }}{{ 1 // 2 }}{{ 1.0 // 0.3 }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ foo(bar }}
{{ foo
{% if %}
{% for %}
{% endif %}
{% unknown %}
{{ 1 + }}
{{ }}
{{ x y }}
{{ loop }}
{% break %}
{% for i in [1] %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}
{{ varargs }}{{ kwargs }}{{ caller }}
{% set loop = 1 %}{{ loop }}
{% set true = 1 %}
{% set x = 1 if true %}{{ x }}{% set y = 1 if false %}[{{ y }}]
{% generation %}a{{ 1 }}{% endgeneration %}{% set g = 1 %}{% generation %}{{ g }}{% set h = 2 %}{% endgeneration %}{{ h }}
""".strip().split("\n")
STATEMENTS = [line for line in STATEMENTS if line.strip()] + [
    "a\n  {% if true %}\n    b\n  {% endif %}\nc\n", "<p>\n  {%- if true -%}  x  {%- endif +%}\n  {{- ' y ' -}}  z\n\n",
    "# for i in [1]\n# endfor\n## x", "{{ 'a\\\nb' }}", "x\r\ny\rz\n", "  {%+ if true %}\n  a{% endif %}\n", "{% raw %}\n  {{ a }}\n  {% endraw %}\nb",
    "  {# c #}\n  a", "{{ 1 -}}  \n b", "{%- set x = 1 -%}\n\n{{ x }}\n\n{#- c -#}\n z",
]

if __name__ == "__main__":
    main()
