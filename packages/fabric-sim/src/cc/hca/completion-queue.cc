#include "hca/completion-queue.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "hca/completion-channel.h"
#include "hca/hca.h"
#include "hca/queue-pair.h"
#include "verbs-context.h"

namespace fabricsim {

CompletionQueue::CompletionQueue(VerbsContext &context, Hca &hca, vb_ibv_comp_channel *channel, void *userContext, uint32_t capacity)
    : extended_{}, context_(context), hca_(hca), ring_(capacity) {
  static_assert(std::is_standard_layout_v<vb_ibv_cq> && std::is_standard_layout_v<vb_ibv_cq_ex>);
  static_assert(offsetof(vb_ibv_cq, async_events_completed) == offsetof(vb_ibv_cq_ex, async_events_completed));
  handle_.context = context.handle();
  handle_.channel = channel;
  handle_.cq_context = userContext;
  handle_.cqe = static_cast<int>(capacity);
  pthread_mutex_init(&handle_.mutex, nullptr);
  pthread_cond_init(&handle_.cond, nullptr);
  if (channel != nullptr) ++channel->refcnt;
}

CompletionQueue::~CompletionQueue() {
  if (handle_.channel != nullptr) --handle_.channel->refcnt;
  pthread_cond_destroy(&handle_.cond);
  pthread_mutex_destroy(&handle_.mutex);
}

void CompletionQueue::push(const vb_ibv_wc &completion, bool isSolicited) {
  if (isOverrun_) return;
  if (count_ == ring_.size()) {
    overrun();
    return;
  }
  if (!stamps_.empty()) stamps_[slot(count_)] = readStampClock();
  ring_[slot(count_++)] = completion;
  if (arming_ == Arming::None) return;
  // A failure is never unsolicited (IBA 11.4.2.2).
  if (arming_ == Arming::Next || isSolicited || completion.status != VB_IBV_WC_SUCCESS) notify();
}

vb_ibv_cq_ex *CompletionQueue::extend(uint64_t fields) {
  cursor_ = std::make_unique<CompletionCursor>();
  if ((fields & VB_IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) != 0) stamps_.resize(ring_.size());
  setCursorFunctions(extended_, fields);
  return &extended_;
}

bool CompletionQueue::take(vb_ibv_wc &out, uint64_t &stamp) {
  if (count_ > 0 && !stamps_.empty()) stamp = stamps_[head_];
  return poll(1, &out) == 1;
}

int CompletionQueue::poll(int count, vb_ibv_wc *out) {
  size_t wanted = std::min(count_, static_cast<size_t>(std::max(count, 0)));
  size_t first = std::min(wanted, ring_.size() - head_);
  std::copy_n(ring_.begin() + static_cast<ptrdiff_t>(head_), first, out);
  std::copy_n(ring_.begin(), wanted - first, out + first);
  head_ += wanted;
  if (head_ >= ring_.size()) head_ -= ring_.size();
  count_ -= wanted;
  taken_ += wanted;
  return static_cast<int>(wanted);
}

bool CompletionQueue::resize(uint32_t capacity) {
  if (capacity < count_) return false;
  std::vector<vb_ibv_wc> larger(capacity);
  size_t count = count_;
  if (!stamps_.empty()) {
    std::vector<uint64_t> stamps(capacity);
    for (size_t i = 0; i < count; ++i) stamps[i] = stamps_[slot(i)];
    stamps_.swap(stamps);
  }
  poll(static_cast<int>(count), larger.data());
  ring_.swap(larger);
  head_ = 0;
  count_ = count;
  handle_.cqe = static_cast<int>(capacity);
  return true;
}

void CompletionQueue::arm(bool solicitedOnly) {
  // Asking for all completions is not undone by asking for the solicited ones.
  if (arming_ != Arming::Next) arming_ = solicitedOnly ? Arming::Solicited : Arming::Next;
}

void CompletionQueue::forget(uint32_t qpn) {
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    const vb_ibv_wc &completion = ring_[slot(i)];
    if (completion.qp_num == qpn) continue;
    if (!stamps_.empty()) stamps_[slot(kept)] = stamps_[slot(i)];
    ring_[slot(kept++)] = completion;
  }
  count_ = kept;
}

void CompletionQueue::notify() {
  arming_ = Arming::None;
  if (handle_.channel == nullptr) return;
  CompletionChannel::of(handle_.channel).events.push({0, 0, &handle_});
  if (cursor_ != nullptr) announced_.push_back(taken_ + count_ - 1);
}

void CompletionQueue::overrun() {
  isOverrun_ = true;
  context_.pushObjectEvent(VB_IBV_EVENT_CQ_ERR, &handle_);
  // A queue pair that fails leaves the table as it is; its completions for this queue are lost with it.
  for (const auto &[qpn, qp] : hca_.queuePairs()) {
    if (qp->usesQueue(*this)) qp->fail(VB_IBV_EVENT_QP_FATAL);
  }
}

}  // namespace fabricsim
