#include "rmpp-sender.h"

#include <algorithm>

namespace fabricsim {

using namespace mad;

RmppSender::RmppSender(Bytes message, uint32_t window, Send send)
    : message_(std::move(message)), send_(std::move(send)), window_(window) {
  offset_ = dataOffset(managementClass(message_.data()));
  payload_ = kSize - offset_;
  size_t data = message_.size() > offset_ ? message_.size() - offset_ : 0;
  segments_ = static_cast<uint32_t>(std::max<size_t>(1, (data + payload_ - 1) / payload_));
  padding_ = static_cast<uint32_t>(segments_ * payload_ - data);
}

void RmppSender::start() { fillWindow(); }

void RmppSender::onTimeout() {
  if (isAcknowledged()) return;
  // The whole window again: a receiver that misses one segment in the middle says nothing before the window's end.
  lastSent_ = lastAck_;
  fillWindow();
}

void RmppSender::fillWindow() {
  while (lastSent_ < segments_ && lastSent_ < window_) sendSegment(++lastSent_);
}

void RmppSender::sendSegment(uint32_t number) {
  uint8_t segment[kSize] = {};
  size_t header = std::min(offset_, message_.size());
  memcpy(segment, message_.data(), header);
  size_t from = offset_ + static_cast<size_t>(number - 1) * payload_;
  if (from < message_.size()) memcpy(segment + offset_, message_.data() + from, std::min(payload_, message_.size() - from));

  uint8_t flags = rmpp::kActive;
  uint32_t length = 0;
  // Payload length counts the class header too; the first segment tells the sum over all segments (IBA 13.6.2.1).
  uint32_t full = static_cast<uint32_t>(kSize - kRmppHeaderEnd);
  if (number == 1) {
    flags |= rmpp::kFirst;
    length = segments_ * full - padding_;
  }
  if (number == segments_) {
    flags |= rmpp::kLast;
    length = full - padding_;
  }
  segment[24] = rmpp::kVersion;
  segment[25] = rmpp::kData;
  segment[27] = rmpp::kOk;
  rmpp::setFlags(segment, flags);
  rmpp::setSegment(segment, number);
  rmpp::setLengthOrWindow(segment, length);
  send_(segment);
}

RmppSender::Outcome RmppSender::abort(const uint8_t *m, rmpp::Status status) {
  uint8_t answer[kSize];
  rmpp::control(answer, m, rmpp::kAbort, status, 0, 0);
  send_(answer);
  return Outcome::kAborted;
}

RmppSender::Outcome RmppSender::onControl(const uint8_t *m) {
  madeProgress_ = false;
  if (rmpp::type(m) != rmpp::kAck) {
    bool legal = rmpp::type(m) == rmpp::kStop ? rmpp::status(m) == rmpp::kResourcesExhausted
                                              : rmpp::status(m) >= rmpp::kAbortMin && rmpp::status(m) <= rmpp::kAbortMax;
    return legal ? Outcome::kAborted : abort(m, rmpp::kIllegalStatus);
  }
  if (rmpp::status(m) != rmpp::kOk) return abort(m, rmpp::kIllegalStatus);
  uint32_t segment = rmpp::segment(m);
  uint32_t window = rmpp::lengthOrWindow(m);
  if (window < segment) return abort(m, rmpp::kNewWindowTooSmall);
  if (isAcknowledged()) return Outcome::kAcknowledged;
  if (segment > segments_ || segment > window_) return abort(m, rmpp::kSegmentTooBig);
  if (window < window_ || segment < lastAck_) return Outcome::kWaiting;  // an old one, overtaken
  madeProgress_ = segment > lastAck_;
  lastAck_ = segment;
  lastSent_ = std::max(lastSent_, lastAck_);
  window_ = window;
  if (isAcknowledged()) return Outcome::kAcknowledged;
  fillWindow();
  return Outcome::kWaiting;
}

}  // namespace fabricsim
