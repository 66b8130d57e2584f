#!/usr/bin/env python3
"""Makes tests/golden/dequantise: raw blocks of every dtype and the float32 values that PyPI `gguf` reads there.

    python tools/oracle/make_dequantise.py

<dtype>.blocks holds whole blocks as they lie in a GGUF file, <dtype>.f32 the values, both little-endian. Quants and
sub-scales are random bits; the F16 scales are finite: edges (zeros of both signs, subnormals, smallest normal, largest)
in the first blocks, then random ones of both signs.
"""

import pathlib

import gguf
import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/dequantise"
Q = gguf.GGMLQuantizationType

# dtype: (blocks, byte offsets of the F16 scales in a block)
BLOCK_TYPES = {
    Q.Q4_0: (48, [0]), Q.Q4_1: (48, [0, 2]), Q.Q5_0: (48, [0]), Q.Q5_1: (48, [0, 2]), Q.Q8_0: (48, [0]),
    Q.Q2_K: (12, [80, 82]), Q.Q3_K: (12, [108]), Q.Q4_K: (12, [0, 2]), Q.Q5_K: (12, [0, 2]), Q.Q6_K: (12, [208]),
}
EDGES = np.array([0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x7BFF], np.uint16)


def scales(generator, count):
    """F16 bit patterns: edges for at most half of the blocks, then normal numbers of a usual size."""
    values = generator.normal(0.0, 0.05, count).astype(np.float16).view(np.uint16)
    edges = generator.permutation(EDGES)[:count // 2]
    values[:len(edges)] = edges
    return values


def block_file(generator, dtype):
    count, offsets = BLOCK_TYPES[dtype]
    _, size = gguf.GGML_QUANT_SIZES[dtype]
    blocks = generator.integers(0, 256, (count, size), dtype=np.uint8)
    for offset in offsets:
        blocks[:, offset:offset + 2] = scales(generator, count)[:, None].view(np.uint8)
    return blocks


def float_file(exponent_bits):
    """Every 32nd pattern (each low bit in turn) and both infinities; no NaN, whose payload a conversion may change."""
    patterns = np.arange(0, 65536, 32, dtype=np.uint32)
    patterns = patterns | (patterns >> 5 & 31)
    mantissa_bits = 15 - exponent_bits
    infinity = (0x7FFF >> mantissa_bits) << mantissa_bits
    patterns = patterns[(patterns & 0x7FFF) <= infinity]
    least_normal = 1 << mantissa_bits
    edges = [0, 0x8000, 1, 0x8001, infinity, 0x8000 | infinity, infinity - 1, least_normal, least_normal - 1]
    return np.concatenate([patterns, np.array(edges, np.uint32)]).astype("<u2").view(np.uint8)


def main():
    generator = np.random.default_rng(3)
    OUT.mkdir(parents=True, exist_ok=True)
    files = {dtype: block_file(generator, dtype) for dtype in BLOCK_TYPES}
    files[Q.F16], files[Q.BF16] = float_file(5), float_file(8)
    for dtype, blocks in files.items():
        values = np.ascontiguousarray(gguf.quants.dequantize(blocks, dtype), "<f4")
        assert not np.isnan(values).any(), dtype
        (OUT / f"{dtype.name}.blocks").write_bytes(blocks.tobytes())
        (OUT / f"{dtype.name}.f32").write_bytes(values.tobytes())
        print(f"{dtype.name}: {blocks.nbytes} bytes, {values.size} values, {np.abs(values).max():.3g} largest")


if __name__ == "__main__":
    main()
