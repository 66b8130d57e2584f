// Downloads a model from a hub into the store.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "hub/hub_client.hpp"
#include "hub/store.hpp"

namespace godwit {

/// Of all files of the model: bytes that are there and checked or on their way, and bytes in all. Called often.
using PullProgress = std::function<void(uint64_t done, uint64_t total)>;

/// Gets what is not there yet, goes on where an earlier download was interrupted, and checks every byte
/// against the hub's checksum. What is not whole and right never gets a name in the store. Errors: see HubClient; no
/// room, no access to the folder, a wrong checksum.
Result<StoredModel> pull_model(const Store& store, const HubOptions& hub, const ModelName& name,
                               const PullProgress& progress);

}  // namespace godwit
