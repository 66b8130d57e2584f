#!/usr/bin/env python3
"""Writes tests/golden/ops/*.txt: inputs and outputs of ops whose meaning is set by other people's models.

Oracles are functions of Hugging Face transformers (CPU, float32), one sequence at a time:
  delta_rule      Qwen3-Next (one decay a head) and Kimi Linear (one a key element)
  selective_scan  Mamba-2, the chunked form (and its token-by-token form, asserted equal here)
  causal_conv     Qwen3-Next
  route           the routers of Mixtral, Qwen2-MoE, DeepSeek-V3, GPT-OSS, DeepSeek-V4
Form of a file, read by tests/backend/golden.hpp: for each tensor a line "name f32|i32 extents…" and a line of values.

Needs PyPI torch, transformers, numpy. Usage: make_ops.py [OUT]   (made with torch 2.15, transformers 5.24)
"""
import pathlib
import sys
from types import SimpleNamespace

import numpy as np
import torch
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3TopkRouter
from transformers.models.deepseek_v4.modeling_deepseek_v4 import DeepseekV4TopKRouter
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssTopKRouter
from transformers.models.kimi_linear.modeling_kimi_linear import recurrent_kimi_delta_attention
from transformers.models.mamba2.modeling_mamba2 import mamba2_chunk_scan, mamba2_selective_state_update
from transformers.models.mixtral.modeling_mixtral import MixtralTopKRouter
from transformers.models.qwen2_moe.modeling_qwen2_moe import Qwen2MoeTopKRouter
from transformers.models.qwen3_next.modeling_qwen3_next import causal_conv1d_update, torch_recurrent_gated_delta_rule

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "tests/golden/ops")
SEQUENCE = torch.tensor([0, 2, 0, 0, 2, 2, 0], dtype=torch.int32)  # rows of two sequences among three, mixed
SEQUENCES = 3


def write(name, **tensors):
    lines = []
    for key, tensor in tensors.items():
        array = tensor.detach().numpy()
        integer = array.dtype.kind == "i"
        lines.append(" ".join([key, "i32" if integer else "f32", *map(str, array.shape)]))
        lines.append(" ".join(str(int(v)) if integer else f"{v:.9g}" for v in array.reshape(-1).astype(np.float64)))
    (OUT / f"{name}.txt").write_text("\n".join(lines) + "\n")


def per_sequence(state, run):
    """run(rows, state of the sequence) -> (out, new state), for each sequence; the outputs back in row order."""
    out, state_out = None, state.clone()
    for s in range(SEQUENCES):
        rows = (SEQUENCE == s).nonzero().flatten()
        if len(rows) == 0:
            continue
        y, state_out[s] = run(rows, state[s].clone())
        out = torch.zeros(len(SEQUENCE), *y.shape[1:]) if out is None else out
        out[rows] = y
    return out, state_out


def delta_rule(name, oracle, per_key, heads=2, key_dim=5, value_dim=3):
    n = len(SEQUENCE)
    query, key = torch.randn(n, heads, key_dim), torch.nn.functional.normalize(torch.randn(n, heads, key_dim), dim=-1)
    value, beta = torch.randn(n, heads, value_dim), torch.rand(n, heads)
    decay = -torch.rand(n, heads, *([key_dim] if per_key else []))
    state = torch.randn(SEQUENCES, heads, key_dim, value_dim)

    def run(rows, s):
        y, s = oracle(*(x[rows][None] for x in (query, key, value, decay, beta)), initial_state=s[None],
                      output_final_state=True)
        return y[0], s[0]

    out, state_out = per_sequence(state, run)
    write(name, query=query / key_dim**0.5, key=key, value=value, decay=decay, beta=beta, state=state,
          sequence=SEQUENCE, out=out, state_out=state_out)


def selective_scan(heads=4, head_dim=3, groups=2, state_dim=5):
    n = len(SEQUENCE)
    x, dt = torch.randn(n, heads, head_dim), torch.rand(n, heads)
    a, d = -torch.rand(heads) - 0.1, torch.randn(heads)
    b, c = torch.randn(n, groups, state_dim), torch.randn(n, groups, state_dim)
    state = torch.randn(SEQUENCES, heads, head_dim, state_dim)

    def run(rows, s):
        y, end = mamba2_chunk_scan(x[rows][None], dt[rows][None], a, b[rows][None], c[rows][None], chunk_size=2, D=d,
                                   initial_states=s[None], return_final_states=True)
        step_state = s[None].clone()
        for i, r in enumerate(rows):
            step = mamba2_selective_state_update(
                step_state, x[r][None], dt[r][None, :, None].expand(1, heads, head_dim),
                a[:, None, None].expand(heads, head_dim, state_dim), b[r][None], c[r][None],
                D=d[:, None].expand(heads, head_dim))
            torch.testing.assert_close(step[0], y[0, i], rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(step_state, end, rtol=1e-5, atol=1e-5)
        return y[0], end[0]

    out, state_out = per_sequence(state, run)
    write("selective_scan", input=x, dt=dt, a=a, d=d, b=b, c=c, state=state, sequence=SEQUENCE, out=out,
          state_out=state_out)


def causal_conv(channels=6, taps=4):
    x, weight, bias = torch.randn(len(SEQUENCE), channels), torch.randn(channels, taps), torch.randn(channels)
    state = torch.randn(SEQUENCES, taps - 1, channels)

    def run(rows, s):
        past = s.T[None].contiguous()
        y = causal_conv1d_update(x[rows].T[None], past, weight, bias, "silu")
        return y[0].T, past[0].T

    out, state_out = per_sequence(state, run)
    write("causal_conv_silu", input=x, weight=weight, bias=bias, state=state, sequence=SEQUENCE, out=out,
          state_out=state_out)


def route(name, router, bias=None, score=None, rows=5, experts=8, used=3, **config):
    """The router's matrix is the identity, so that its input is the logits. Experts are stored best first."""
    settings = dict(num_experts_per_tok=used, num_experts=experts, num_local_experts=experts, hidden_size=experts)
    gate = router(SimpleNamespace(**settings, **config))
    logits = 2 * torch.randn(rows, experts)
    gate.weight.data = torch.eye(experts)
    tensors = dict(logits=logits)
    if hasattr(gate, "bias"):
        gate.bias.data.zero_()
    if bias is not None:
        gate.e_score_correction_bias.copy_(bias)
        tensors["bias"] = bias
    _, weights, chosen = gate(logits)
    selection = (score or (lambda x: x))(logits) + (bias if bias is not None else 0)
    order = selection.gather(1, chosen).argsort(dim=-1, descending=True)
    write(name, **tensors, experts=chosen.gather(1, order).int(), weights=weights.gather(1, order))


def main():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        delta_rule("delta_rule_head", torch_recurrent_gated_delta_rule, per_key=False)
        delta_rule("delta_rule_key", recurrent_kimi_delta_attention, per_key=True)
        selective_scan()
        causal_conv()
        route("route_mixtral", MixtralTopKRouter)
        route("route_qwen2_moe", Qwen2MoeTopKRouter, norm_topk_prob=False)
        route("route_deepseek_v3", DeepseekV3TopkRouter, bias=torch.randn(8) / 2, score=torch.sigmoid, n_group=4,
              topk_group=2, norm_topk_prob=True, routed_scaling_factor=2.5)
        route("route_gpt_oss", GptOssTopKRouter)
        route("route_deepseek_v4", DeepseekV4TopKRouter, bias=torch.randn(8) / 2, scoring_func="sqrtsoftplus",
              score=lambda x: torch.nn.functional.softplus(x).sqrt(), routed_scaling_factor=1.5)


if __name__ == "__main__":
    main()
