// RMPP sender and receiver wired to each other, with a wire that loses, repeats and reorders.
#include <arpa/inet.h>

#include <deque>
#include <random>

#include "check.h"
#include "mad.h"
#include "rmpp-receiver.h"
#include "rmpp-sender.h"

using namespace fabricsim;
using namespace fabricsim::mad;

namespace {

constexpr size_t kSaHeader = 56;

Bytes saMessage(size_t data) {
  Bytes message(kSaHeader + data);
  message[0] = 1;
  message[1] = kClassSubnAdm;
  message[2] = 2;
  message[3] = 0x92;
  message[15] = 42;
  message[24] = rmpp::kVersion;
  message[25] = rmpp::kData;
  message[26] = rmpp::kActive;
  for (size_t i = 0; i < data; ++i) message[kSaHeader + i] = static_cast<uint8_t>(i * 31 + (i >> 8) * 7);
  return message;
}

ReceivedMad received(const Bytes &mad, uint16_t slid = 7) {
  ReceivedMad one = {};
  one.from.be_lid = htons(slid);
  one.from.be_qpn = htonl(1);
  one.qpn = 1;
  one.slid = slid;
  one.sourceQpn = 1;
  one.mad = mad;
  return one;
}

// A sender and a receiver with a queue of MADs in each direction.
struct Wire {
  TimerQueue timers;
  std::deque<Bytes> toReceiver;
  std::deque<Bytes> toSender;
  RmppReceiver receiver{timers, [this](const vb_ib_mad_addr &to, const uint8_t *m) {
                          CHECK(ntohs(to.be_lid) == 7);
                          toSender.emplace_back(m, m + kSize);
                        }};
  RmppSender sender;

  explicit Wire(Bytes message)
      : sender(std::move(message), 1, [this](const uint8_t *m) { toReceiver.emplace_back(m, m + kSize); }) {
    sender.start();
  }
};

// What the wire does with the MAD at the head of a queue.
enum class Fate { kDeliver, kLose, kRepeat, kDelay };

template <typename Choose>
Bytes transfer(Wire &wire, Choose fate) {
  Bytes whole;
  for (int rounds = 0; rounds < 1000000; ++rounds) {
    if (wire.toReceiver.empty() && wire.toSender.empty()) {
      if (wire.sender.isAcknowledged()) return whole;
      wire.sender.onTimeout();
    }
    for (auto *queue : {&wire.toReceiver, &wire.toSender}) {
      if (queue->empty()) continue;
      Bytes mad = std::move(queue->front());
      queue->pop_front();
      switch (fate()) {
        case Fate::kLose:
          continue;
        case Fate::kDelay:
          queue->push_back(std::move(mad));
          continue;
        case Fate::kRepeat:
          queue->push_back(mad);
          break;
        case Fate::kDeliver:
          break;
      }
      if (queue == &wire.toReceiver) {
        auto done = wire.receiver.onData(received(mad));
        if (done) {
          CHECK(whole.empty());
          whole = std::move(*done);
        }
      } else {
        CHECK(wire.sender.onControl(mad.data()) != RmppSender::Outcome::kAborted);
      }
    }
  }
  CHECK(!"the transfer ends");
  return whole;
}

// The message as the receiver gives it: RMPP header of the first segment, all else as sent.
void checkSame(const Bytes &sent, const Bytes &got) {
  CHECK(got.size() == sent.size());
  CHECK(memcmp(got.data(), sent.data(), 24) == 0);
  CHECK(memcmp(got.data() + 36, sent.data() + 36, sent.size() - 36) == 0);
}

void sizes() {
  for (size_t data : {0u, 1u, 199u, 200u, 201u, 400u, 13000u, 12800u, 1000001u}) {
    Bytes message = saMessage(data);
    Wire wire(message);
    checkSame(message, transfer(wire, [] { return Fate::kDeliver; }));
  }
}

void firstAndLastLengths() {
  Bytes message = saMessage(450);  // 200 + 200 + 50
  std::vector<Bytes> sent;
  RmppSender sender(message, 10, [&](const uint8_t *m) { sent.emplace_back(m, m + kSize); });
  sender.start();
  CHECK(sent.size() == 3 && sender.segments() == 3);
  CHECK(rmpp::flags(sent[0].data()) == (rmpp::kActive | rmpp::kFirst));
  CHECK(rmpp::lengthOrWindow(sent[0].data()) == 3 * 220 - 150);
  CHECK(rmpp::flags(sent[1].data()) == rmpp::kActive && rmpp::lengthOrWindow(sent[1].data()) == 0);
  CHECK(rmpp::flags(sent[2].data()) == (rmpp::kActive | rmpp::kLast));
  CHECK(rmpp::lengthOrWindow(sent[2].data()) == 220 - 150);
}

void badWire() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Bytes message = saMessage(40000 + seed * 37);
    Wire wire(message);
    checkSame(message, transfer(wire, [&] {
                unsigned roll = random() % 100;
                return roll < 5 ? Fate::kLose : roll < 10 ? Fate::kRepeat : roll < 20 ? Fate::kDelay : Fate::kDeliver;
              }));
  }
}

void senderRefuses() {
  auto outcome = [](uint8_t type, uint8_t status, uint32_t segment, uint32_t window, uint8_t &answered) {
    Bytes last;
    RmppSender sender(saMessage(5000), 1, [&](const uint8_t *m) { last.assign(m, m + kSize); });
    sender.start();
    Bytes control(kSize);
    rmpp::control(control.data(), last.data(), static_cast<rmpp::Type>(type), static_cast<rmpp::Status>(status), segment, window);
    last.clear();
    auto result = sender.onControl(control.data());
    answered = last.empty() || rmpp::type(last.data()) != rmpp::kAbort ? 0 : rmpp::status(last.data());
    return result;
  };
  using Outcome = RmppSender::Outcome;
  uint8_t answered = 0;
  CHECK(outcome(rmpp::kAck, 0, 1, 65, answered) == Outcome::kWaiting && answered == 0);
  CHECK(outcome(rmpp::kAck, 0, 5, 4, answered) == Outcome::kAborted && answered == rmpp::kNewWindowTooSmall);
  CHECK(outcome(rmpp::kAck, 0, 2, 65, answered) == Outcome::kAborted && answered == rmpp::kSegmentTooBig);
  CHECK(outcome(rmpp::kAck, 3, 1, 65, answered) == Outcome::kAborted && answered == rmpp::kIllegalStatus);
  CHECK(outcome(rmpp::kStop, rmpp::kResourcesExhausted, 0, 0, answered) == Outcome::kAborted && answered == 0);
  CHECK(outcome(rmpp::kStop, 9, 0, 0, answered) == Outcome::kAborted && answered == rmpp::kIllegalStatus);
  CHECK(outcome(rmpp::kAbort, rmpp::kTooManyRetries, 0, 0, answered) == Outcome::kAborted && answered == 0);
  CHECK(outcome(rmpp::kAbort, 3, 0, 0, answered) == Outcome::kAborted && answered == rmpp::kIllegalStatus);
}

void receiverWithstandsNoise() {
  TimerQueue timers;
  std::mt19937 random(3);
  RmppReceiver receiver(timers, [](const vb_ib_mad_addr &, const uint8_t *) {});
  Bytes mad = saMessage(200);
  for (int i = 0; i < 200000; ++i) {
    mad[15] = static_cast<uint8_t>(random() % 4);
    mad[26] = static_cast<uint8_t>(random());
    mad[27] = random() % 8 == 0 ? static_cast<uint8_t>(random()) : 0;
    rmpp::setSegment(mad.data(), random() % 4 == 0 ? random() : random() % 80);
    rmpp::setLengthOrWindow(mad.data(), random() % 2 == 0 ? random() : random() % 300);
    auto whole = receiver.onData(received(mad));
    CHECK(!whole || whole->size() >= kSaHeader);
  }
}

}  // namespace

int main() {
  sizes();
  firstAndLastLengths();
  badWire();
  senderRefuses();
  receiverWithstandsNoise();
  return 0;
}
