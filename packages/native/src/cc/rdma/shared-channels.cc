#include "rdma/shared-channels.h"

namespace verbena {
namespace {

IdTable<CompletionChannel>& Shared() {
  // Never destroyed: threads may outlive the statics of the process.
  static auto* const shared = new IdTable<CompletionChannel>();
  return *shared;
}

}  // namespace

uint32_t ShareChannel(const std::shared_ptr<CompletionChannel>& channel) { return Shared().Add(channel); }

std::shared_ptr<CompletionChannel> FindSharedChannel(uint32_t token) { return Shared().Find(token); }

}  // namespace verbena
