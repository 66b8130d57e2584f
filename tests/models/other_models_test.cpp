// The other real models against the peer (make check-long).
#include "models/real_model.hpp"

namespace godwit {
namespace {

TEST_F(RealModel, Qwen25Coder) { agrees_with_peer("qwen2.5-coder"); }

TEST_F(RealModel, Gemma3) { agrees_with_peer("gemma-3-270m"); }

}  // namespace
}  // namespace godwit
