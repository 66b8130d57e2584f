#!/usr/bin/env python3
"""Writes tests/golden/tokenizers/: what Hugging Face's `tokenizers` makes of thousands of strings, for tests/tokenizer/tokenizer_json_test.cpp.

  strings.json      the parts that strings are made of; string number i is put together from them by `string(i)` here and in the test
  tokenizers.json   small tokenizers, trained here: bases, and variants of them as JSON merge patches (RFC 7386); post-processors and the ids of
                    "Hello world" with them
  small.bin         of each variant in turn: for each string 2 bytes of a hash of its ids and 2 of a hash of the text that they decode to
  NAME.bin          the same of a published vocabulary (tools/fetch vocabularies), written as a tokenizer.json here and in the test alike

Needs PyPI tokenizers, gguf, numpy. Usage: make_tokenizers.py [small|NAME…]   (made with tokenizers 0.23.3)
"""
import base64
import json
import os
import pathlib
import sys

import numpy as np
from gguf import GGUFReader
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).parents[2]
OUT = ROOT / "tests/golden/tokenizers"
CACHE = pathlib.Path(os.environ.get("GODWIT_CACHE") or pathlib.Path.home() / ".cache/godwit")
COUNT, SMALL_COUNT = 10_000, 600
MASK = (1 << 64) - 1

WORDS = """Hello hello HELLO world The the quick brown fox jumps over lazy dogs don't I'm we've they'LL it's 's 'S y'all Hokkaidō naïve café
Straße İstanbul ıI ǅ ﬁnance ﬂow ½ ² ① Ⅻ ㎏ ￥ ｆｕｌｌｗｉｄｔｈ ﾊﾟ １２３ ДокументПродажиТоваровУслуг привет Ελληνικά ΣΊΣΥΦΟΣ עברית العربية مرحبا हिन्दी नमस्ते
ภาษาไทย កាន់តែពិសេសអាចខលចេញ 我想在apple工作 中文 漢字かな カタカナ ー 한국어 한 ệ ế Ω Å ﷺ ﷽ 1 12 123 1234 1234567 3.14 0x1F 1,000,000 C++ foo_bar a.b http://x.y/z?q=1
camelCase XMLHttpRequest ALLCAPS aB1c2 ... !!! ?! -- — – “quoted” ‘q’ «x» ( ) [ ] { } <a> </b> # ## ##ing @ & * + = / \\ | ~ ` ^ _ __ $ € £ % ° ± × ÷
😀 😀😀 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ❤️ ☃ ♞ ﷼ § ¶ • … ™ ® ▁ ▁▁ Ġ Ċ ÿ ĠHello do not n't n't. ' ,x .x ?x""".split()
BLANKS = [" ", " ", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n ", "\u00a0", "\u2003", "\u3000", "\u200b", "\u200d", "\ufeff",
          "\u2028", "\u0085", "\u180e", "\x0b", "\x0c", "\x1f", "\x01", "\x7f", "\u00ad", "\u200e"]
MARKS = ["e\u0301", "\u0301", "a\u0323\u0302", "\u0302\u0323", "n\u0303o", "\u0915\u094d\u0937", "\u1100\u1161\u11a8", "\u0e01\u0e33", "\ufffd",
         "o\u0308\u0304", "\u05d0\u05b7", "\u0643\u064e"]
SPECIALS = ["<s>", "</s>", "<unk>", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<mask>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool>", "<TOOL>",
            "tool", "user", "<pad>", "Straẞe", "quick brown", "HELLO WORLD", "hello w", "xuser user", "user-"]
# All assigned since Unicode 8 at the latest: engines differ in what is newer.
RANGES = [(0x20, 0x7E), (0x20, 0x7E), (0xA1, 0x17F), (0x180, 0x24F), (0x391, 0x3A1), (0x3A3, 0x3CE), (0x400, 0x45F), (0x5D0, 0x5EA), (0x621, 0x64A),
          (0x905, 0x939), (0xE01, 0xE3A), (0x1E00, 0x1EF9), (0x2010, 0x2027), (0x2030, 0x205E), (0x2100, 0x214F), (0x2150, 0x2188), (0x2460, 0x24FF),
          (0x2500, 0x25FF), (0x2F00, 0x2FD5), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x3400, 0x4DB5), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xF900, 0xFA6D),
          (0xFF01, 0xFF5E), (0x1D400, 0x1D454), (0x1F600, 0x1F64F), (0x300, 0x34E), (0x20000, 0x2A6D6), (0x01, 0x1F)]
PARTS = WORDS + WORDS + BLANKS + MARKS + SPECIALS


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return (z ^ z >> 31) % n


def string(number):
    random = Random(number)
    text = ""
    for _ in range(1 + random.below(12)):
        if random.below(8) == 0:
            low, high = RANGES[random.below(len(RANGES))]
            part = chr(low + random.below(high - low + 1))
        else:
            part = PARTS[random.below(len(PARTS))]
        text += part * (1 + random.below(6) if random.below(10) == 0 else 1)
        if random.below(2) == 0:
            text += " "
    return text


def hash16(data):
    """FNV-1a, folded."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return ((h >> 48) ^ (h >> 32) ^ (h >> 16) ^ h) & 0xFFFF


def hashes_of(tokenizer, count):
    hashes = []
    for number in range(count):
        ids = tokenizer.encode(string(number), add_special_tokens=False).ids
        hashes.append(hash16(np.array(ids, "<i4").tobytes()))
        hashes.append(hash16(tokenizer.decode(ids, skip_special_tokens=False).encode()))
    return np.array(hashes, "<u2").tobytes()


# --- Published vocabularies -------------------------------------------------------------------------------------------

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def contents(field):
    return [bytes(field.parts[i]).decode() for i in field.data]


def added_tokens(tokens, types):
    return [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": bool(k != 4)}
            for i, (t, k) in enumerate(zip(tokens, types)) if k in (2, 3, 4)]


def published(name):
    fields = GGUFReader(CACHE / f"vocabularies/ggml-vocab-{name}.gguf").fields
    get = lambda key: fields[f"tokenizer.ggml.{key}"]
    tokens = contents(get("tokens"))
    types = [int(get("token_type").parts[i][0]) for i in get("token_type").data]
    made = {"version": "1.0", "added_tokens": added_tokens(tokens, types)}
    if name == "bert-bge":
        plain = [t if k in (2, 3) else t[1:] if t.startswith("▁") else "##" + t for t, k in zip(tokens, types)]
        made |= {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
                 "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
                 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                           "vocab": {t: i for i, t in enumerate(plain)}}}
    elif name == "nomic-bert-moe":
        scores = [float(get("scores").parts[i][0]) for i in get("scores").data]
        charsmap = bytes(int(get("precompiled_charsmap").parts[i][0]) for i in get("precompiled_charsmap").data)
        made |= {"normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()},
                 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}, "decoder": METASPACE,
                 "model": {"type": "Unigram", "unk_id": 3, "vocab": list(zip(tokens, scores)), "byte_fallback": False}}
    elif name == "qwen2":
        made |= {"normalizer": {"type": "NFC"},
                 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                     {"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": False},
                     {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}]},
                 "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
                 "model": {"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens)}, "merges": contents(get("merges"))}}
    else:
        raise SystemExit(f"{name}: how is its tokenizer.json made?")
    return Tokenizer.from_str(json.dumps(made, ensure_ascii=False))


# --- Small ones -------------------------------------------------------------------------------------------------------

def corpus():
    return [string(number) for number in range(20_000, 22_000)]


def trained(model, trainer, texts=None, **stages):
    tokenizer = Tokenizer(model)
    for stage, value in stages.items():
        setattr(tokenizer, stage, value)
    tokenizer.train_from_iterator(texts or corpus(), trainer)
    made = json.loads(tokenizer.to_str())
    for member in ("truncation", "padding"):
        made.pop(member)
    return made


def added(base, *tokens):
    """(text, flags…); ids as `tokenizers` gives them: those of the model, else those that follow."""
    flags = ("special", "normalized", "lstrip", "rstrip", "single_word")
    known = base["model"]["vocab"]
    known = known if isinstance(known, dict) else {text: i for i, (text, _) in enumerate(known)}
    following = iter(range(len(known), 1 << 30))
    return [{"id": known[text] if text in known else next(following), "content": text} | {flag: flag in wanted for flag in flags}
            for text, *wanted in tokens]


def bases():
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = trained(models.BPE(), trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False),
                      pre_tokenizer=byte_level, decoder=decoders.ByteLevel())
    words = trained(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
                    trainers.BpeTrainer(vocab_size=700, special_tokens=["<unk>"], end_of_word_suffix="</w>", limit_alphabet=250, show_progress=False),
                    pre_tokenizer=pre_tokenizers.Whitespace(), decoder=decoders.BPEDecoder("</w>"))
    for piece in ("a", "b", "1", " ", "\n", "!", "-", "'", ".", "日"):  # ends of pieces can be seen
        for text in (piece, piece + "</w>"):
            words["model"]["vocab"].setdefault(text, len(words["model"]["vocab"]))
    prefixes = trained(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=True),
                       trainers.BpeTrainer(vocab_size=500, special_tokens=["<unk>"], continuing_subword_prefix="##", limit_alphabet=120,
                                           show_progress=False), pre_tokenizer=pre_tokenizers.Whitespace())
    llama = trained(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True),
                    trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<s>", "</s>"], limit_alphabet=150, show_progress=False,
                                        max_token_length=12),
                    normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
                    decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]))
    for byte in range(256):
        llama["model"]["vocab"][f"<0x{byte:02X}>"] = len(llama["model"]["vocab"])
    wordpiece = trained(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20),
                        trainers.WordPieceTrainer(vocab_size=600, limit_alphabet=150, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                                                  show_progress=False),
                        normalizer=normalizers.BertNormalizer(), pre_tokenizer=pre_tokenizers.BertPreTokenizer(), decoder=decoders.WordPiece())
    latin = ["".join(c for c in text if ord(c) < 0x180 and c not in "<>") for text in corpus()]
    unigram = trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=600, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>",
                                                                show_progress=False), latin,
                      normalizer=normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()]),
                      pre_tokenizer=pre_tokenizers.Metaspace(), decoder=decoders.Metaspace())
    level = trained(models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(vocab_size=400, special_tokens=["<unk>"], show_progress=False),
                    pre_tokenizer=pre_tokenizers.Whitespace())
    return {"letters": letters, "words": words, "prefixes": prefixes, "llama": llama, "wordpiece": wordpiece, "unigram": unigram, "level": level}


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def sequence(member, *stages):
    return {"type": "Sequence", member: list(stages)}


def variants(all_bases):
    """(name, base, patch)"""
    out = [(base, base, {}) for base in all_bases]
    byte_level = lambda prefix, regex: {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}
    out += [
        ("letters-prefix", "letters", {"pre_tokenizer": byte_level(True, True), "normalizer": {"type": "NFD"}}),
        ("letters-whole", "letters", {"pre_tokenizer": byte_level(False, False), "normalizer": {"type": "NFKD"}}),
        ("letters-split", "letters", {"pre_tokenizer": sequence("pretokenizers", split({"Regex": LLAMA3}), byte_level(False, False)),
                                      "model": {"ignore_merges": True}}),
        ("letters-deepseek", "letters", {"pre_tokenizer": sequence(
            "pretokenizers", split({"Regex": r"\p{N}{1,3}"}), split({"Regex": "[一-龥぀-ゟ゠-ヿ]+"}), split({"Regex": r"\s+$"}), split({"Regex": r"^\w"}),
            split({"Regex": r"\w+\p{P}?"}, "MergedWithNext"), byte_level(False, False))}),
        ("letters-normalizer", "letters", {"normalizer": sequence("normalizers", {"type": "NFC"}, {"type": "ByteLevel"}),
                                           "pre_tokenizer": split({"String": "Ġ"}, "MergedWithNext")}),
        ("letters-added", "letters", {"added_tokens": added(
            all_bases["letters"], ("<|im_start|>", "special"), ("<|im_end|>", "special", "rstrip"), ("<mask>", "special", "lstrip"),
            ("<tool>",), ("user", "single_word"), ("  ",), ("quick brown", "normalized"), ("</s>", "special", "lstrip", "rstrip"),
            ("</", "normalized"), ("\n\n", "rstrip"))}),
        # Hugging Face's decoder takes an added letter for a byte; here an added token decodes to its own text.
        ("letters-unlike", "letters", {"added_tokens": added(all_bases["letters"], ("ÿ",))}),
        ("letters-lower", "letters", {"normalizer": {"type": "Lowercase"}, "added_tokens": added(
            all_bases["letters"], ("<TOOL>", "normalized"), ("Hello W", "normalized", "single_word"), ("ALLCAPS",))}),
        ("letters-replaced", "letters", {
            "normalizer": sequence("normalizers", {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Replace", "pattern": {"String": "user"}, "content": "tool"}),
            "added_tokens": added(all_bases["letters"], ("ｆｕｌｌ", "normalized"), ("naïve", "normalized", "special"), ("user", "normalized"), ("<TOOL>", "normalized"))}),
        ("letters-strings", "letters", {"model": {"merges": [" ".join(pair) for pair in all_bases["letters"]["model"]["merges"]]}}),
    ]
    behaviors = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
    for behavior in behaviors:
        out.append((f"words-regex-{behavior}", "words", {"pre_tokenizer": split({"Regex": r"\s|[aeiou!.]"}, behavior)}))
        out.append((f"words-invert-{behavior}", "words", {"pre_tokenizer": split({"Regex": r"\w+|\s+"}, behavior, True)}))
        out.append((f"words-punctuation-{behavior}", "words", {"pre_tokenizer": {"type": "Punctuation", "behavior": behavior}}))
    pre = lambda name, stage: out.append((f"words-{name}", "words", {"pre_tokenizer": stage}))
    pre("blanks", {"type": "WhitespaceSplit"})
    pre("bert", {"type": "BertPreTokenizer"})
    pre("digits", sequence("pretokenizers", {"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": False}))
    pre("each-digit", {"type": "Digits", "individual_digits": True})
    pre("delimiter", {"type": "CharDelimiterSplit", "delimiter": "e"})
    pre("length", {"type": "FixedLength", "length": 3})
    pre("empty", split({"Regex": r"(?=[A-Z])|b*"}))
    pre("string", split({"String": "."}, "MergedWithPrevious"))
    pre("scripts", split({"Regex": r"[\p{Han}\p{Katakana}]+|[^\s\p{Latin}]|\p{^L}"}))
    pre("unicode-scripts", {"type": "UnicodeScripts"})
    pre("unicode-scripts-blanks", sequence("pretokenizers", {"type": "UnicodeScripts"}, {"type": "WhitespaceSplit"}))
    pre("none", None)
    out.append(("words-fused", "words", {"model": {"fuse_unk": True, "unk_token": "<unk>"}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None}))
    out.append(("words-silent", "words", {"model": {"unk_token": None}}))
    normal = lambda name, *stages: out.append((f"words-{name}", "words", {"normalizer": sequence("normalizers", *stages)}))
    normal("accents", {"type": "NFD"}, {"type": "StripAccents"})
    normal("strip", {"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "})
    normal("strip-both", {"type": "Strip", "strip_left": True, "strip_right": True}, {"type": "Prepend", "prepend": "a"})
    normal("replace", {"type": "Replace", "pattern": {"Regex": r"(.)\1|$"}, "content": "ba"}, {"type": "Replace", "pattern": {"String": "aba"}, "content": ""})
    normal("bert-normal", {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": True, "strip_accents": True, "lowercase": False})
    meta = lambda scheme, whole: {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": not whole}
    for scheme in ("first", "always", "never"):
        for whole in (False, True):
            stage = meta(scheme, whole)
            out.append((f"llama-{scheme}{'-whole' if whole else ''}", "llama", {"normalizer": None, "pre_tokenizer": stage, "decoder": stage}))
    out += [
        ("llama-first-stripped", "llama", {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}, "pre_tokenizer": meta("first", True)}),
        ("llama-first-blanks", "llama", {"normalizer": None, "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, meta("first", False))}),
        ("llama-separate", "llama", {"model": {"byte_fallback": False, "fuse_unk": False}}),
        ("llama-added", "llama", {"added_tokens": all_bases["llama"]["added_tokens"] + added(
            all_bases["llama"], ("<|im_end|>", "special", "normalized"), ("▁▁",), ("<tool>", "rstrip"))}),
        ("llama-added-normalized", "llama", {"added_tokens": all_bases["llama"]["added_tokens"] + added(
            all_bases["llama"], ("<tool>", "normalized"), ("quick brown", "normalized"), ("<mask>", "normalized", "special", "lstrip"))}),
        ("wordpiece-cased", "wordpiece", {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": False,
                                                         "strip_accents": False, "lowercase": False}, "decoder": {"cleanup": False}}),
        ("wordpiece-accents", "wordpiece", {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                                                           "strip_accents": False, "lowercase": True}}),
        ("wordpiece-plain", "wordpiece", {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}}),
        ("unigram-bytes", "unigram", {"model": {"byte_fallback": True, "vocab": all_bases["unigram"]["model"]["vocab"] +
                                                [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]},
                                      "decoder": sequence("decoders", {"type": "ByteFallback"}, meta("always", False))}),
        ("unigram-spaces", "unigram", {"normalizer": sequence("normalizers", {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}),
                                       "pre_tokenizer": sequence("pretokenizers", {"type": "WhitespaceSplit"}, meta("always", True))}),
    ]
    return out


# What post-processors put around a text: one side, both, several tokens on one, several ids for one name.
def wrappings(all_bases):
    def template(*items, ids=None):
        single = [{"Sequence": {"id": "A", "type_id": 0}} if item == "$A" else {"SpecialToken": {"id": item, "type_id": 0}} for item in items]
        vocabulary = all_bases["llama"]["model"]["vocab"]
        names = {item: {"id": item, "ids": [vocabulary[item]], "tokens": [item]} for item in items if item != "$A"}
        for name, texts in (ids or {}).items():
            names[name] = {"id": name, "ids": [vocabulary[text] for text in texts], "tokens": texts}
        return {"type": "TemplateProcessing", "single": single, "pair": single + [{"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": names}
    two = template("<unk>", "<s>", "$A")
    return [("none", None), ("two-before", two), ("two-behind", template("$A", "</s>", "<unk>")), ("four", template("<unk>", "<s>", "$A", "</s>", "<s>")),
            ("many-ids", template("<s>", "$A", "</s>", ids={"<s>": ["<s>", "▁", "<unk>"]})),
            ("sequence", sequence("processors", {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}, two)),
            ("pair", {"type": "RobertaProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2], "trim_offsets": True, "add_prefix_space": False})]


def wrapped_ids(all_bases, processor):
    tokenizer = Tokenizer.from_str(json.dumps(merge_patch(all_bases["llama"], {"post_processor": processor})))
    return tokenizer.encode("Hello world").ids


def merge_patch(target, patch):
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge_patch(target.get(key), value)
    return target


def make_small():
    all_bases = bases()
    listed = variants(all_bases)
    made = [Tokenizer.from_str(json.dumps(merge_patch(all_bases[base], patch))) for _, base, patch in listed]
    (OUT / "small.bin").write_bytes(b"".join(hashes_of(tokenizer, SMALL_COUNT) for tokenizer in made))
    wrapped = [{"name": n, "post_processor": p, "ids": wrapped_ids(all_bases, p)} for n, p in wrappings(all_bases)]
    text = json.dumps({"bases": all_bases, "variants": [{"name": n, "base": b, "patch": p} for n, b, p in listed], "wrapped": wrapped},
                      ensure_ascii=False, separators=(",", ":"))
    (OUT / "tokenizers.json").write_text(text + "\n")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "strings.json").write_text(json.dumps({"parts": PARTS, "ranges": RANGES}, ensure_ascii=False, separators=(",", ":")) + "\n")
    names = sys.argv[1:] or ["small", "bert-bge", "nomic-bert-moe", "qwen2"]
    for name in names:
        if name == "small":
            make_small()
        else:
            (OUT / f"{name}.bin").write_bytes(hashes_of(published(name), COUNT))


main()
