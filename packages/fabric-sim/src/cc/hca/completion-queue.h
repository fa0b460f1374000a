// A completion queue: a ring of completions, and whether the next one makes an event (IBA 10.2.6, 11.4.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hca/completion-cursor.h"
#include "verbena/ibverbs-abi.h"

namespace fabricsim {

class Hca;
class VerbsContext;

class CompletionQueue {
  // First member: of() relies on it. The second view is what programs of the extended interface hold.
  union {
    vb_ibv_cq handle_;
    vb_ibv_cq_ex extended_;
  };

 public:
  CompletionQueue(VerbsContext &context, Hca &hca, vb_ibv_comp_channel *channel, void *userContext, uint32_t capacity);
  CompletionQueue(const CompletionQueue &) = delete;
  CompletionQueue &operator=(const CompletionQueue &) = delete;
  ~CompletionQueue();

  static CompletionQueue &of(vb_ibv_cq *cq) { return *reinterpret_cast<CompletionQueue *>(cq); }
  vb_ibv_cq *handle() { return &handle_; }

  // Adds a completion. One that finds the queue full is lost, and the queue with it: CQ_ERR, and every queue pair on it fails.
  void push(const vb_ibv_wc &completion, bool isSolicited);
  // Makes it one of the extended interface, with `fields` (VB_IBV_WC_EX_…) to be read. Nothing has completed yet.
  vb_ibv_cq_ex *extend(uint64_t fields);
  // Of a queue of the extended interface; NULL for others.
  CompletionCursor *cursor() { return cursor_.get(); }
  // Takes the oldest; false if there is none. `stamp` is set if the queue keeps time stamps.
  bool take(vb_ibv_wc &out, uint64_t &stamp);
  // True if the oldest has raised an event that nobody has read yet.
  bool isAnnounced() const { return std::binary_search(announced_.begin(), announced_.end(), taken_); }
  // The program has read an event of this queue.
  void eventRead() {
    ++eventsTaken;
    if (!announced_.empty()) announced_.pop_front();
  }
  // Takes up to `count`; their number.
  int poll(int count, vb_ibv_wc *out);
  // False if fewer than `capacity` slots would lose what is in it.
  bool resize(uint32_t capacity);
  void arm(bool solicitedOnly);
  // Drops what a queue pair that is going away has left here.
  void forget(uint32_t qpn);
  bool isOverrun() const { return isOverrun_; }

  uint32_t users = 0;          // queue pairs that complete here; one that uses it twice counts twice
  uint32_t eventsTaken = 0;    // handed out by ibv_get_cq_event
  uint32_t errorsTaken = 0;    // handed out by ibv_get_async_event

 private:
  enum class Arming { None, Solicited, Next };

  // Where number `index` from the oldest lies.
  size_t slot(size_t index) const {
    size_t at = head_ + index;
    return at < ring_.size() ? at : at - ring_.size();
  }
  void notify();
  void overrun();

  VerbsContext &context_;
  Hca &hca_;
  std::vector<vb_ibv_wc> ring_;
  std::vector<uint64_t> stamps_;  // of each slot; empty where nobody asked for them
  std::unique_ptr<CompletionCursor> cursor_;
  size_t head_ = 0;
  size_t count_ = 0;
  uint64_t taken_ = 0;               // completions that have left; what number `index` from the oldest is counted by is `taken_ + index`
  std::deque<uint64_t> announced_;   // of a queue of the extended interface: those with an event that nobody has read, in order
  Arming arming_ = Arming::None;
  bool isOverrun_ = false;
};

}  // namespace fabricsim
