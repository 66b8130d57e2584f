// The other real models against the peer (make check-long).
#include "models/real_model.hpp"

namespace godwit {
namespace {

// Measured: 98.78 %, gap 0.101; 98.56 %, gap 0.179; perplexity +0.198 % (the peer as the file is: +0.515 %).
TEST_F(RealModel, Qwen25Coder) {
    agrees_with_peer("qwen2.5-coder", {.exact = {0.985, 0.3f}, .quantised = {0.98, 0.3f}, .perplexity = 0.003});
}

// Measured: 97.84 %, gap 0.282; 97.85 %, gap 0.530; perplexity +0.129 % (the peer as the file is: +0.690 %).
TEST_F(RealModel, Gemma3) {
    agrees_with_peer("gemma-3-270m", {.exact = {0.97, 0.3f}, .quantised = {0.97, 0.6f}, .perplexity = 0.003});
}

}  // namespace
}  // namespace godwit
