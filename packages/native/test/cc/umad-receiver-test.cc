// UmadReceiver against a table of functions written here: what libibumad of several releases does at the edges.
#include "umad-receiver.h"

#include <errno.h>
#include <string.h>

#include <deque>
#include <vector>

#include "check.h"

using verbena::UmadFunctions;
using verbena::UmadReceiver;
using Outcome = UmadReceiver::Outcome;

namespace {

// What the library under the receiver holds, in order.
struct Waiting {
  int agent;
  uint32_t status;
  std::vector<uint8_t> mad;
};
std::deque<Waiting> waiting;
std::deque<int> poll_errors;
int recv_calls = 0;
int recv_error = 0;         // errno of the next umad_recv, 0 = none
int pkey_index = 0;         // what the library fills in; -1 = nothing
bool keeps_length = false;  // a library that says ENOSPC, but not how much it needs

int Poll(int, int timeout_ms) {
  CHECK_EQ(timeout_ms, 0);
  if (!poll_errors.empty()) {
    errno = poll_errors.front();
    poll_errors.pop_front();
    return -1;
  }
  return waiting.empty() ? -ETIMEDOUT : 0;
}

int Recv(int, void* umad, int* length, int) {
  recv_calls++;
  if (recv_error != 0) {
    errno = recv_error;
    return -EIO;
  }
  const Waiting& message = waiting.front();
  const int size = static_cast<int>(message.mad.size());
  if (size > *length) {
    if (!keeps_length) *length = size;
    errno = ENOSPC;
    return -ENOSPC;
  }
  auto* header = static_cast<vb_ib_user_mad*>(umad);
  if (pkey_index >= 0) {
    memset(header, 0, sizeof *header);
    header->addr.pkey_index = static_cast<uint16_t>(pkey_index);
  }
  header->status = message.status;
  header->length = static_cast<uint32_t>(size + VB_UMAD_HEADER_SIZE);
  memcpy(static_cast<uint8_t*>(umad) + VB_UMAD_HEADER_SIZE, message.mad.data(), message.mad.size());
  *length = size;
  const int agent = message.agent;
  waiting.pop_front();
  return agent;
}

vb_ib_user_mad HeaderAt(const std::vector<uint8_t>& batch, size_t at) {
  vb_ib_user_mad header;
  CHECK(at + sizeof header <= batch.size());
  memcpy(&header, batch.data() + at, sizeof header);
  return header;
}

void BatchesSeveralMessages(const UmadFunctions& fn) {
  waiting = {{3, 0, std::vector<uint8_t>(256, 0xaa)}, {4, ETIMEDOUT, std::vector<uint8_t>(20, 0xbb)}};
  UmadReceiver receiver(fn, 7);
  std::vector<uint8_t> batch;
  CHECK(receiver.Receive(&batch) == Outcome::kDrained);
  CHECK_EQ(batch.size(), (64 + 256) + (64 + 20 + 4));
  CHECK_EQ(HeaderAt(batch, 0).agent_id, 3);
  CHECK_EQ(HeaderAt(batch, 0).length, 256);
  CHECK_EQ(HeaderAt(batch, 320).agent_id, 4);
  CHECK_EQ(HeaderAt(batch, 320).status, ETIMEDOUT);
  CHECK_EQ(HeaderAt(batch, 320).length, 20);
  CHECK_EQ(batch[64], 0xaa);
  CHECK_EQ(batch[320 + 64], 0xbb);
}

void GrowsForTables(const UmadFunctions& fn) {
  for (const bool keeps : {false, true}) {
    keeps_length = keeps;
    std::vector<uint8_t> table(300000);
    for (size_t i = 0; i < table.size(); i++) table[i] = static_cast<uint8_t>(i * 7);
    waiting = {{1, 0, table}, {1, 0, std::vector<uint8_t>(256)}};
    UmadReceiver receiver(fn, 7);
    std::vector<uint8_t> batch;
    CHECK(receiver.Receive(&batch) == Outcome::kDrained);
    CHECK_EQ(HeaderAt(batch, 0).length, table.size());
    CHECK(memcmp(batch.data() + 64, table.data(), table.size()) == 0);
    CHECK_EQ(HeaderAt(batch, 64 + table.size()).length, 256);
  }
  keeps_length = false;
}

void StopsAtTheBudget(const UmadFunctions& fn) {
  waiting.assign(UmadReceiver::kMaxMessages + 1, {1, 0, std::vector<uint8_t>(256)});
  UmadReceiver receiver(fn, 7);
  std::vector<uint8_t> batch;
  CHECK(receiver.Receive(&batch) == Outcome::kMore);
  CHECK_EQ(waiting.size(), 1);
  batch.clear();
  CHECK(receiver.Receive(&batch) == Outcome::kDrained);
  CHECK_EQ(batch.size(), 64 + 256);
}

void TellsTheErrno(const UmadFunctions& fn) {
  waiting = {{1, 0, std::vector<uint8_t>(256)}};
  UmadReceiver receiver(fn, 7);
  std::vector<uint8_t> batch;
  recv_error = ENODEV;
  CHECK(receiver.Receive(&batch) == Outcome::kFailed);
  CHECK_EQ(receiver.error(), ENODEV);
  recv_error = EAGAIN;
  CHECK(receiver.Receive(&batch) == Outcome::kDrained);
  recv_error = 0;
  poll_errors = {EINTR};
  CHECK(receiver.Receive(&batch) == Outcome::kDrained);
  CHECK_EQ(batch.size(), 64 + 256);
  poll_errors = {EBADF};
  CHECK(receiver.Receive(&batch) == Outcome::kFailed);
  CHECK_EQ(receiver.error(), EBADF);
}

void TakesWhatIsNotFilledInForNothing(const UmadFunctions& fn) {
  waiting = {{1, 0, std::vector<uint8_t>(256)}};
  UmadReceiver receiver(fn, 7);
  std::vector<uint8_t> first;
  pkey_index = 5;
  CHECK(receiver.Receive(&first) == Outcome::kDrained);
  CHECK_EQ(HeaderAt(first, 0).addr.pkey_index, 5);
  pkey_index = -1;
  waiting = {{2, 0, std::vector<uint8_t>(256)}};
  std::vector<uint8_t> second;
  CHECK(receiver.Receive(&second) == Outcome::kDrained);
  CHECK_EQ(HeaderAt(second, 0).addr.pkey_index, 0);
  pkey_index = 0;
}

void NeverReadsWithoutAPoll(const UmadFunctions& fn) {
  waiting.clear();
  recv_calls = 0;
  UmadReceiver receiver(fn, 7);
  std::vector<uint8_t> batch;
  CHECK(receiver.Receive(&batch) == Outcome::kDrained);
  CHECK_EQ(recv_calls, 0);
}

}  // namespace

int main() {
  UmadFunctions fn;
  fn.umad_poll = Poll;
  fn.umad_recv = Recv;
  BatchesSeveralMessages(fn);
  GrowsForTables(fn);
  StopsAtTheBudget(fn);
  TellsTheErrno(fn);
  TakesWhatIsNotFilledInForNothing(fn);
  NeverReadsWithoutAPoll(fn);
  // Generic results hide the cause in errno; specific ones are the cause.
  CHECK_EQ(verbena::UmadErrno(-EIO, EACCES), EACCES);
  CHECK_EQ(verbena::UmadErrno(-1, EPERM), EPERM);
  CHECK_EQ(verbena::UmadErrno(-ENODEV, ENOENT), ENODEV);
  CHECK_EQ(verbena::UmadErrno(-EIO, 0), EIO);
  return 0;
}
