// The default model against the peer.
#include "models/real_model.hpp"

namespace godwit {
namespace {

// Measured: 96.25 %, gap 0.445; 95.68 %, gap 0.442; perplexity +0.341 % (the peer as the file is: +0.297 %).
TEST_F(RealModel, SmolLM2) {
    agrees_with_peer("smollm2", {.exact = {0.955, 0.5f}, .quantised = {0.95, 0.5f}, .perplexity = 0.004});
}

}  // namespace
}  // namespace godwit
