// The default model against the peer.
#include "models/real_model.hpp"

namespace godwit {
namespace {

TEST_F(RealModel, SmolLM2) { agrees_with_peer("smollm2"); }

}  // namespace
}  // namespace godwit
