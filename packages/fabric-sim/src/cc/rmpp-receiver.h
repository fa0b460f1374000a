// The receiving half of RMPP (IBA 13.6): puts segments in order, acknowledges by windows, hands out whole messages.
// One object serves one agent and all its peers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "bytes.h"
#include "ib-packet.h"
#include "mad.h"
#include "timer-queue.h"

namespace fabricsim {

class RmppReceiver {
 public:
  // Sends a control MAD back to where a segment came from.
  using Send = std::function<void(const vb_ib_mad_addr &to, const uint8_t *mad)>;

  RmppReceiver(TimerQueue &timers, Send send) : timers_(timers), send_(std::move(send)) {}
  ~RmppReceiver();
  RmppReceiver(const RmppReceiver &) = delete;
  RmppReceiver &operator=(const RmppReceiver &) = delete;

  // A DATA segment. Returns the message when it is complete: headers of the first segment, then all data.
  std::optional<Bytes> onData(const ReceivedMad &received);
  // The peer turned an acknowledged request round and says how many segments of the answer it takes at first (IBA 13.6.6.3).
  void onDirectionSwitch(const ReceivedMad &received);
  // What onDirectionSwitch() heard, for an answer to `to`; 1 if nothing.
  uint32_t firstWindow(const vb_ib_mad_addr &to, const uint8_t *mad) const;
  // Tells the peer of a DATA or control MAD that cannot be right.
  void abort(const ReceivedMad &received, mad::rmpp::Status status);

  // Bytes that a peer may send in one message, and that all unfinished messages of an agent may hold.
  static constexpr size_t kMaxMessage = 256u << 20;
  static constexpr size_t kMaxMessages = 8192;
  static constexpr uint32_t kWindow = 64;

 private:
  // tid, source QPN, SLID, class, class version, method
  using Key = std::tuple<uint64_t, uint32_t, uint16_t, uint8_t, uint8_t, uint8_t>;
  struct Message {
    Bytes data;                          // first segment, then the payloads of those in sequence
    std::map<uint32_t, Bytes> early;     // segments ahead of the sequence, inside the window
    uint32_t segments = 0;               // received in sequence
    uint32_t lastAck = 0;
    uint32_t window = 1;
    uint32_t replyWindow = 1;
    bool isComplete = false;
    TimerQueue::Handle timer;
  };

  static Key keyOf(const ReceivedMad &received, uint8_t method);
  bool append(Message &message, const uint8_t *segment);
  void acknowledge(Message &message, const ReceivedMad &received);
  void forget(const Key &key);
  void armForget(const Key &key, Message &message, std::chrono::seconds after);

  TimerQueue &timers_;
  Send send_;
  std::map<Key, Message> messages_;
  size_t held_ = 0;
};

}  // namespace fabricsim
