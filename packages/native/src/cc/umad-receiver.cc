#include "umad-receiver.h"

#include <errno.h>
#include <string.h>

#include <algorithm>

namespace verbena {

UmadReceiver::UmadReceiver(const UmadFunctions& functions, int port_id)
    : functions_(functions), port_id_(port_id), buffer_(VB_UMAD_HEADER_SIZE + kInitialCapacity) {}

UmadReceiver::Outcome UmadReceiver::Receive(std::vector<uint8_t>* batch) {
  for (int count = 0; count < kMaxMessages && batch->size() < kMaxBytes; count++) {
    const int result = ReceiveOne(batch);
    if (result > 0) continue;
    if (buffer_.size() > kKeptCapacity) buffer_ = std::vector<uint8_t>(VB_UMAD_HEADER_SIZE + kInitialCapacity);
    return result == 0 ? Outcome::kDrained : Outcome::kFailed;
  }
  return Outcome::kMore;
}

int UmadReceiver::ReceiveOne(std::vector<uint8_t>* batch) {
  for (;;) {
    // umad_recv with time-out 0 reads at once, which blocks on a descriptor that is not non-blocking; a poll that says
    // "ready" makes that impossible for every library behind it.
    errno = 0;
    const int ready = functions_.umad_poll(port_id_, 0);
    if (ready < 0) {
      error_ = UmadErrno(ready, errno);
      if (error_ == EINTR) continue;
      return error_ == ETIMEDOUT || error_ == EAGAIN ? 0 : -1;
    }
    const int capacity = static_cast<int>(buffer_.size() - VB_UMAD_HEADER_SIZE);
    int length = capacity;
    errno = 0;
    // What a library does not fill in is nothing, not what the message before left behind.
    std::fill_n(buffer_.begin(), VB_UMAD_HEADER_SIZE, uint8_t{0});
    const int agent = functions_.umad_recv(port_id_, buffer_.data(), &length, 0);
    if (agent >= 0) {
      auto* header = reinterpret_cast<vb_ib_user_mad*>(buffer_.data());
      const size_t mad = static_cast<size_t>(std::clamp(length, 0, capacity));
      header->agent_id = static_cast<uint32_t>(agent);
      header->length = static_cast<uint32_t>(mad);
      batch->insert(batch->end(), buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(VB_UMAD_HEADER_SIZE + mad));
      batch->resize((batch->size() + 7) & ~size_t{7});
      return 1;
    }
    error_ = UmadErrno(agent, errno);
    if (error_ == EINTR) continue;
    if (error_ == EAGAIN || error_ == ETIMEDOUT) return 0;
    if (error_ != ENOSPC) return -1;
    const size_t wanted = length > capacity ? static_cast<size_t>(length) : static_cast<size_t>(capacity) * 2;
    if (wanted > kMaxMessage) {
      error_ = EMSGSIZE;
      return -1;
    }
    buffer_.resize(VB_UMAD_HEADER_SIZE + wanted);
  }
}

}  // namespace verbena
