// The sending half of RMPP (IBA 13.6): cuts a message into segments and keeps the receiver's window full.
// Knows no sockets and no clock: the owner sends what it hands out and calls onTimeout().
#pragma once

#include <cstdint>
#include <functional>

#include "bytes.h"
#include "mad.h"

namespace fabricsim {

class RmppSender {
 public:
  using Send = std::function<void(const uint8_t *mad)>;
  enum class Outcome { kWaiting, kAcknowledged, kAborted };

  // `message`: MAD header, RMPP header, class header, then all data. `window`: segments that may go out before the first ACK.
  RmppSender(Bytes message, uint32_t window, Send send);

  void start();
  // An ACK, STOP or ABORT of this transaction. kAborted: give up; the peer has been told where it must be.
  Outcome onControl(const uint8_t *mad);
  // Sends the window again from the first unacknowledged segment.
  void onTimeout();

  bool isAcknowledged() const { return lastAck_ == segments_; }
  uint32_t segments() const { return segments_; }
  // True if the last onControl() moved the window, so that retries begin anew.
  bool madeProgress() const { return madeProgress_; }

 private:
  void fillWindow();
  void sendSegment(uint32_t number);
  Outcome abort(const uint8_t *mad, mad::rmpp::Status status);

  Bytes message_;
  Send send_;
  size_t offset_;       // bytes of header in every segment
  size_t payload_;      // bytes of data a segment carries
  uint32_t segments_;
  uint32_t padding_;    // unused bytes in the last segment
  uint32_t window_;     // highest segment that may be sent
  uint32_t lastSent_ = 0;
  uint32_t lastAck_ = 0;
  bool madeProgress_ = false;
};

}  // namespace fabricsim
