// Completion queues and their channels.
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "rdma/objects.h"

namespace verbena {
namespace {

int SavedErrno() { return errno != 0 ? errno : EIO; }

}  // namespace

WorkLedger* LedgerCache::Load(Slot& slot, uint32_t id) {
  auto ledger = device_.ledgers.Find(id);
  if (ledger == nullptr) return nullptr;
  slot = {id, std::move(ledger)};
  return slot.ledger.get();
}

std::shared_ptr<CompletionChannel> CompletionChannel::Create(std::shared_ptr<Device> device, int* error) {
  errno = 0;
  vb_ibv_comp_channel* channel = device->fn().ibv_create_comp_channel(device->context());
  if (channel == nullptr) {
    *error = SavedErrno();
    return nullptr;
  }
  auto created = std::make_shared<CompletionChannel>(std::move(device), channel);
  const int flags = fcntl(channel->fd, F_GETFL);
  if (flags >= 0 && fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) == 0) return created;
  *error = errno;
  return nullptr;
}

int CompletionChannel::Read(std::shared_ptr<CompletionQueue>* queue) {
  const std::lock_guard lock(mutex);
  vb_ibv_cq* cq = nullptr;
  void* context = nullptr;
  errno = 0;
  if (device->fn().ibv_get_cq_event(channel, &cq, &context) != 0) return errno == EWOULDBLOCK || errno == EINTR ? EAGAIN : SavedErrno();
  // Alive: its destruction waits until this event is acknowledged.
  auto* owner = static_cast<CompletionQueue*>(context);
  *queue = owner->is_dying_ ? nullptr : owner->weak_from_this().lock();
  if (*queue == nullptr) {
    device->fn().ibv_ack_cq_events(cq, 1);
  } else {
    owner->unacknowledged_++;
  }
  return 0;
}

std::shared_ptr<CompletionQueue> CompletionQueue::Create(std::shared_ptr<Device> device, std::shared_ptr<CompletionChannel> channel,
                                                         int depth, int vector, int* error) {
  auto queue = std::make_shared<CompletionQueue>(std::move(device), std::move(channel));
  // Known before the device knows it: no event can come of a queue that has no number.
  queue->id = queue->device->completion_queues.Add(queue);
  vb_ibv_comp_channel* events = queue->channel != nullptr ? queue->channel->channel : nullptr;
  errno = 0;
  queue->cq = queue->device->fn().ibv_create_cq(queue->device->context(), depth, queue.get(), events, vector);
  if (queue->cq != nullptr) {
    if (queue->channel != nullptr) queue->channel->queue_count++;
    return queue;
  }
  *error = SavedErrno();
  return nullptr;
}

CompletionQueue::~CompletionQueue() {
  device->completion_queues.Remove(id);
  if (cq == nullptr) return;
  if (channel != nullptr) {
    channel->queue_count--;
    const std::lock_guard lock(channel->mutex);
    is_dying_ = true;
    const uint32_t rest = unacknowledged_.exchange(0);
    if (rest > 0) device->fn().ibv_ack_cq_events(cq, rest);
  }
  device->fn().ibv_destroy_cq(cq);
}

int CompletionQueue::Arm(bool solicited_only) const {
  errno = 0;
  const int result = cq->context->ops.req_notify_cq(cq, solicited_only ? 1 : 0);
  if (result == 0) return 0;
  return result > 0 ? result : SavedErrno();
}

// Replaces the numbers of `count` completions by the program's, and closes the gaps of those that are not under way. What is left.
int CompletionQueue::Book(vb_ibv_wc* completions, uint32_t* tokens, int count) {
  vb_ibv_wc* kept = completions;
  for (const vb_ibv_wc* each = completions; each != completions + count; each++) {
    const uint64_t number = each->wr_id;
    WorkLedger* ledger = ledgers_.Find(static_cast<uint32_t>(number >> 32));
    if (ledger == nullptr) continue;  // of a queue pair that is gone
    if (kept != each) *kept = *each;
    // Not under way: of a queue pair that was reset.
    if (!ledger->Complete(static_cast<uint32_t>(number), &kept->wr_id, tokens)) continue;
    kept++;
    tokens++;
  }
  return static_cast<int>(kept - completions);
}

int CompletionQueue::Poll(const CompletionRecords& records, bool* has_tokens) {
  const std::lock_guard lock(mutex_);
  ledgers_.Refresh();
  const int capacity = records.capacity();
  int kept = 0;
  int room = 0;
  int count = 0;
  do {
    room = capacity - kept;
    errno = 0;
    count = cq->context->ops.poll_cq(cq, room, records.completions() + kept);
    // What has been taken is not lost: the failure shows again.
    if (count < 0 && kept == 0) return -SavedErrno();
    if (count > 0) kept += Book(records.completions() + kept, records.tokens() + kept, count);
    // Room that is left must mean that the queue is empty (ibv_poll_cq(3)), though some completions were of nobody.
  } while (kept < capacity && count == room);
  // Apart from the loop above, which it would slow down.
  uint32_t all_tokens = 0;
  for (int i = 0; i < kept; i++) all_tokens |= records.tokens()[i];
  *has_tokens = all_tokens != 0;
  return kept;
}

void CompletionQueue::Acknowledge(uint32_t count) {
  uint32_t open = unacknowledged_.load();
  uint32_t now = 0;
  do {
    now = std::min(count, open);
  } while (now > 0 && !unacknowledged_.compare_exchange_weak(open, open - now));
  if (now > 0) device->fn().ibv_ack_cq_events(cq, now);
}

}  // namespace verbena
