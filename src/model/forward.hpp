// One step of a model: a batch of rows through all layers. THE loop; every model and every way of using one goes
// through it.
#pragma once

#include <vector>

#include "backend/ops.hpp"
#include "cache/store/kv_store.hpp"
#include "model/activations.hpp"
#include "model/model.hpp"

namespace godwit {

/// The rows of one step, on the device. Rows of a sequence stand in order; sequences may be mixed at will (invariant
/// I1).
struct Batch {
    struct Group {
        View slot_mapping;  // I32 [rows]: where each row's keys and values go: block × kBlockTokens + place
        View block_table;   // I32 [sequences, blocks]: the blocks of each sequence, first to last
    };
    View tokens;                // I32 [rows]
    View positions;             // I32 [sections, rows]: what rope sees
    View sequence;              // I32 [rows]: which sequence of the batch
    View index;                 // I32 [rows]: the row's place in its sequence
    View logit_rows;            // I32 [n]: rows whose logits are wanted, n may be 0
    std::vector<Group> groups;  // by cache group

    int64_t rows() const { return tokens.shape[0]; }
};

/// What a layer's mixer and FFN work with.
struct Step {
    const Model& model;
    const Batch& batch;
    const KvStore& cache;
    const Activations& activations;
    Ops& ops;
};

/// Writes the batch's keys and values into the cache and returns the wanted logits, [n, vocabulary], in
/// activations.logits. The batch must fit the limits that `activations` were made for.
View forward(const Step& step);

// mixer/attention.cpp, ffn/gated.cpp: hidden ← hidden + branch(hidden).
void run_attention(const Step& step, int32_t layer);
void run_gated_ffn(const Step& step, int32_t layer);

}  // namespace godwit
