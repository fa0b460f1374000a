#pragma once

#include <cstdint>
#include <memory>

#include "rdma/objects.h"

namespace verbena {

// Channels that were offered to other threads of this process, by number. This is the one state of the addon that environments share;
// it owns nothing.
uint32_t ShareChannel(const std::shared_ptr<CompletionChannel>& channel);
// NULL if its last owner has let go of it.
std::shared_ptr<CompletionChannel> FindSharedChannel(uint32_t token);

}  // namespace verbena
