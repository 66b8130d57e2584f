// A request for text, read: what the engine is asked, and how its answer is encoded. The same readers serve the routes
// and the lines of `godwit run --batch`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine_impl.hpp"
#include "server/api/encoder.hpp"

namespace godwit::api {

/// What a request is read against.
struct RequestContext {
    const EngineImpl& engine;
    std::string model;           // its name in the answer
    GenerateRequest defaults{};  // where the request says nothing
};

struct TextRequest {
    std::vector<GenerateRequest> prompts;  // in the order in which the encoder wants their events
    std::unique_ptr<Encoder> encoder;
};

}  // namespace godwit::api
