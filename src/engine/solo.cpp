#include "engine/solo.hpp"

#include <algorithm>
#include <numeric>

namespace godwit {
namespace {

void upload_ids(Device& device, const View& to, const std::vector<int32_t>& ids) {
    device.upload(to, std::as_bytes(std::span(ids)));
}

/// Views of the step's integers, one after the other in one buffer. Returns the bytes in all.
uint64_t lay_out(Batch& batch, Buffer* buffer, int64_t rows, int64_t logit_rows, int64_t blocks, size_t groups) {
    uint64_t offset = 0;
    auto place = [&](Shape shape) {
        View view{buffer, offset, DType::I32, shape};
        offset += view.bytes();
        return view;
    };
    batch.tokens = place({rows});
    batch.positions = place({1, rows});
    batch.sequence = place({rows});
    batch.index = place({rows});
    batch.logit_rows = place({logit_rows});
    batch.groups.clear();
    View slot_mapping = place({rows}),
         block_table = place({1, blocks});  // alone, a token's slot is its place, in every group
    batch.groups.resize(groups, {slot_mapping, block_table});
    return offset;
}

}  // namespace

Result<Solo> Solo::make(const Model& model, Device& device, const EngineSettings& settings) {
    Solo solo(model, device);
    solo.limits_ = settings.step;
    solo.context_ = choose_context(model.plan, settings.context);
    int64_t blocks = count_blocks(solo.context_);
    size_t groups = model.plan.cache.groups.size();

    std::vector<int64_t> pools(groups, blocks);  // windows or not: nothing is ever released
    solo.cache_ = std::make_unique<KvStore>(TRY(KvStore::make(device, model.plan.cache, settings.kv, pools)));
    solo.activations_ = std::make_unique<Activations>(TRY(Activations::make(device, model.plan, solo.limits_)));
    uint64_t bytes = lay_out(solo.batch_, nullptr, solo.limits_.rows, solo.limits_.logit_rows, blocks, groups);
    solo.inputs_ = TRY(device.allocate(bytes));
    lay_out(solo.batch_, solo.inputs_.get(), solo.limits_.rows, solo.limits_.logit_rows, blocks, groups);
    if (groups > 0) {
        std::vector<int32_t> table(blocks);
        std::iota(table.begin(), table.end(), 0);
        upload_ids(device, solo.batch_.groups[0].block_table, table);
    }
    solo.logits_.resize(solo.limits_.logit_rows * model.plan.vocabulary);
    return solo;
}

Result<void> Solo::check(std::span<const TokenId> tokens) const {
    TRY(model_.tokenizer->check(tokens));
    auto count = static_cast<int64_t>(tokens.size());
    if (count > context_ - length_)
        return error("{} tokens do not fit the context of {} ({} are in use; the model's own context is {})", count,
                     context_, length_, model_.plan.context);
    return done();
}

Result<void> Solo::extend_all(std::span<const TokenId> tokens, LogitsSink sink) {
    TRY(check(tokens));
    size_t chunk = static_cast<size_t>(std::min(limits_.rows, limits_.logit_rows));
    for (size_t begin = 0; begin < tokens.size(); begin += chunk) {
        auto part = tokens.subspan(begin, std::min(chunk, tokens.size() - begin));
        run(part, static_cast<int64_t>(part.size()));
        for (size_t i = 0; i < part.size(); ++i)
            sink(static_cast<int64_t>(begin + i),
                 std::span(logits_).subspan(i * model_.plan.vocabulary, model_.plan.vocabulary));
    }
    return done();
}

Result<std::span<const float>> Solo::extend(std::span<const TokenId> tokens) {
    CHECK(!tokens.empty());
    TRY(check(tokens));
    auto chunk = static_cast<size_t>(limits_.rows);
    for (size_t begin = 0; begin < tokens.size(); begin += chunk) {
        auto part = tokens.subspan(begin, std::min(chunk, tokens.size() - begin));
        run(part, begin + part.size() == tokens.size() ? 1 : 0);
    }
    return std::span<const float>(logits_).first(model_.plan.vocabulary);
}

void Solo::run(std::span<const TokenId> tokens, int64_t wanted) {
    auto rows = static_cast<int64_t>(tokens.size());
    Batch batch = batch_;
    batch.tokens.shape = batch.sequence.shape = batch.index.shape = Shape{rows};
    batch.positions.shape = Shape{1, rows};
    batch.logit_rows.shape = Shape{wanted};
    for (Batch::Group& group : batch.groups) group.slot_mapping.shape = Shape{rows};

    std::vector<int32_t> places(rows), last(wanted);
    std::iota(places.begin(), places.end(), static_cast<int32_t>(length_));
    std::iota(last.begin(), last.end(), static_cast<int32_t>(rows - wanted));
    device_.upload(batch.tokens, std::as_bytes(tokens));
    upload_ids(device_, batch.positions, places);
    upload_ids(device_, batch.sequence, std::vector<int32_t>(rows, 0));
    upload_ids(device_, batch.index, places);
    upload_ids(device_, batch.logit_rows, last);
    if (!batch.groups.empty()) upload_ids(device_, batch.groups[0].slot_mapping, places);

    View logits = forward({model_, batch, *cache_, *activations_, device_.ops()});
    device_.download(logits, std::as_writable_bytes(std::span(logits_).first(wanted * model_.plan.vocabulary)));
    length_ += rows;
}

}  // namespace godwit
