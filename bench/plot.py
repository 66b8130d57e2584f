"""Speed against llama.cpp as a picture: bars of ratios, one group a model, as SVG without any library."""
import re
from xml.sax.saxutils import escape

ROWS = (("prompt", "reading a prompt", "#1d4e89"), ("generate", "writing, 1 user", "#00a6a6"),
        ("generate_8", "writing, 8 users", "#7bc043"), ("generate_16", "writing, 16 users", "#b8d96b"))
WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 840, 190, 60, 13, 16, 92


def label(file):
    """SmolLM2-135M-Instruct.Q4_1.gguf -> (SmolLM2-135M, Q4_1); a random model (r11b_Q4_0) says that it is one."""
    name = file.removesuffix(".gguf").replace("-Instruct", "")
    if found := re.fullmatch(r"r(\d)(\d)b_(\w+)", name):
        return f"random {found[1]}.{found[2]}B", found[3]
    name, _, quantisation = name.rpartition(".")
    return name, quantisation


def text(x, y, words, size=12, anchor="start", weight="normal", color="#222"):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{color}">'
            f"{escape(words)}</text>")


def line_at(x, bottom, words, stroke, color):
    return [f'<line x1="{x:g}" y1="{TOP - 6}" x2="{x:g}" y2="{bottom}" stroke="{stroke}"/>',
            text(x, bottom + 16, words, 11, "middle", color=color)]


def speedups(found):
    """The SVG for one file of docs/benchmarks/."""
    models = sorted(found["models"].items(), key=lambda item: -item[1]["prompt"]["ratio"])
    most = max(row[key]["ratio"] for _, row in models for key, _, _ in ROWS if key in row)
    scale = (WIDTH - LEFT - RIGHT) / most
    group = len(ROWS) * BAR + GAP
    height = TOP + len(models) * group + 28
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="system-ui, sans-serif">', f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff"/>',
           text(20, 28, "Times as fast as llama.cpp on the same file and the same CPU", 17, weight="600"),
           text(20, 48, f"{found['cpu'].split(', L1d')[0]}; {found['kernels']} kernels, {found['threads']} threads; "
                "medians of interleaved runs", color="#666")]
    x = 20
    for _, words, color in ROWS:
        out += [f'<rect x="{x}" y="61" width="11" height="11" fill="{color}"/>', text(x + 16, 71, words)]
        x += 26 + 7 * len(words)
    bottom = TOP + len(models) * group - GAP + 4
    for times in range(1, int(most) + 1):
        out += line_at(LEFT + times * scale, bottom, f"{times}×", "#ddd", "#666")
    for i, (file, row) in enumerate(models):
        y = TOP + i * group
        name, quantisation = label(file)
        out += [text(LEFT - 10, y + 24, name, 13, "end", "600"),
                text(LEFT - 10, y + 40, quantisation, 12, "end", color="#666")]
        for j, (key, _, color) in enumerate(ROWS):
            if key in row:
                length = row[key]["ratio"] * scale
                out += [f'<rect x="{LEFT}" y="{y + j * BAR}" width="{length:.1f}" height="{BAR - 2}" fill="{color}"/>',
                        text(LEFT + length + 5, y + j * BAR + 10, f"{row[key]['ratio']:.1f}×", 11, color="#444")]
    out += line_at(LEFT + scale, bottom, "1×", "#c0392b", "#c0392b")
    return "\n".join(out + ["</svg>", ""])
