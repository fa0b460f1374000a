#include "rmpp-receiver.h"

#include <algorithm>

namespace fabricsim {

using namespace mad;

namespace {
// As Linux has them: an unfinished message is given up after 40 s; a finished one is remembered for 10 s, so that a lost last
// ACK can be repeated.
constexpr std::chrono::seconds kUnfinished{40};
constexpr std::chrono::seconds kFinished{10};
}  // namespace

RmppReceiver::~RmppReceiver() {
  for (auto &[key, message] : messages_) timers_.cancel(message.timer);
}

RmppReceiver::Key RmppReceiver::keyOf(const ReceivedMad &received, uint8_t method) {
  const uint8_t *m = received.mad.data();
  return {tid(m), received.sourceQpn, received.slid, managementClass(m), classVersion(m), method};
}

void RmppReceiver::abort(const ReceivedMad &received, rmpp::Status status) {
  uint8_t answer[kSize];
  rmpp::control(answer, received.mad.data(), rmpp::kAbort, status, 0, 0);
  send_(received.from, answer);
}

void RmppReceiver::acknowledge(Message &message, const ReceivedMad &received) {
  uint8_t answer[kSize];
  message.lastAck = message.segments;
  rmpp::control(answer, received.mad.data(), rmpp::kAck, rmpp::kOk, message.segments, message.window);
  send_(received.from, answer);
}

void RmppReceiver::forget(const Key &key) {
  auto found = messages_.find(key);
  if (found == messages_.end()) return;
  held_ -= found->second.data.size();
  timers_.cancel(found->second.timer);
  messages_.erase(found);
}

void RmppReceiver::armForget(const Key &key, Message &message, std::chrono::seconds after) {
  timers_.cancel(message.timer);
  message.timer = timers_.arm(Clock::now() + after, [this, key] { forget(key); });
}

// Adds the next segment in sequence; true if it was the last one.
bool RmppReceiver::append(Message &message, const uint8_t *segment) {
  size_t skip = message.segments == 0 ? 0 : dataOffset(managementClass(segment));
  message.data.insert(message.data.end(), segment + skip, segment + kSize);
  held_ += kSize - skip;
  ++message.segments;
  if ((rmpp::flags(segment) & rmpp::kLast) == 0) return false;
  // What the payload length of the last segment leaves out is padding; nonsense there means a full segment.
  uint32_t full = static_cast<uint32_t>(kSize - kRmppHeaderEnd);
  uint32_t length = rmpp::lengthOrWindow(segment);
  size_t padding = length <= full ? full - length : 0;
  size_t payload = kSize - dataOffset(managementClass(segment));
  padding = std::min(padding, payload);
  message.data.resize(message.data.size() - padding);
  held_ -= padding;
  return true;
}

std::optional<Bytes> RmppReceiver::onData(const ReceivedMad &received) {
  const uint8_t *m = received.mad.data();
  uint32_t number = rmpp::segment(m);
  bool isFirst = (rmpp::flags(m) & rmpp::kFirst) != 0;
  if (rmpp::status(m) != rmpp::kOk) {
    abort(received, rmpp::kIllegalStatus);
    return std::nullopt;
  }
  if ((number == 1) != isFirst) {
    abort(received, rmpp::kInconsistentFirst);
    return std::nullopt;
  }
  Key key = keyOf(received, method(m));
  auto found = messages_.find(key);
  if (found == messages_.end()) {
    if (number != 1 || messages_.size() >= kMaxMessages) return std::nullopt;
    found = messages_.try_emplace(key).first;
    armForget(key, found->second, kUnfinished);
  }
  Message &message = found->second;
  if (number > message.window) return std::nullopt;
  if (message.isComplete || number <= message.lastAck) {
    acknowledge(message, received);
    return std::nullopt;
  }
  if (number <= message.segments) return std::nullopt;  // repeated inside the window; its ACK comes with the window's end
  if (held_ > kMaxMessage) {
    uint8_t answer[kSize];
    rmpp::control(answer, m, rmpp::kStop, rmpp::kResourcesExhausted, 0, 0);
    send_(received.from, answer);
    forget(key);
    return std::nullopt;
  }
  if (number != message.segments + 1) {
    message.early.try_emplace(number, m, m + kSize);
    return std::nullopt;
  }

  bool isLast = append(message, m);
  for (auto next = message.early.begin(); !isLast && next != message.early.end() && next->first == message.segments + 1;
       next = message.early.begin()) {
    isLast = append(message, next->second.data());
    message.early.erase(next);
  }
  if (isLast) {
    message.isComplete = true;
    message.early.clear();
    acknowledge(message, received);
    held_ -= message.data.size();
    Bytes whole;
    whole.swap(message.data);
    armForget(key, message, kFinished);
    return whole;
  }
  if (message.segments == message.window || message.segments == 1) {
    message.window += kWindow;
    acknowledge(message, received);
  }
  return std::nullopt;
}

void RmppReceiver::onDirectionSwitch(const ReceivedMad &received) {
  const uint8_t *m = received.mad.data();
  auto found = messages_.find(keyOf(received, method(m)));
  if (found != messages_.end() && found->second.isComplete) found->second.replyWindow = rmpp::lengthOrWindow(m);
}

uint32_t RmppReceiver::firstWindow(const vb_ib_mad_addr &to, const uint8_t *m) const {
  if ((method(m) & kMethodResponse) == 0) return 1;
  for (const auto &[key, message] : messages_) {
    if (std::get<0>(key) == tid(m) && std::get<2>(key) == getBe16(reinterpret_cast<const uint8_t *>(&to.be_lid)) &&
        std::get<3>(key) == managementClass(m) && std::get<4>(key) == classVersion(m) && (std::get<5>(key) & kMethodResponse) == 0) {
      return std::max<uint32_t>(1, message.replyWindow);
    }
  }
  return 1;
}

}  // namespace fabricsim
