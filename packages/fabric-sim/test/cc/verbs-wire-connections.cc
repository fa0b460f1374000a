// Reliable and unreliable connections between two processes.
#include <functional>

#include "verbs-wire.h"
#include "wire-peer.h"

using namespace test;

static const size_t kSizes[] = {0, 1, kMtu - 1, kMtu, kMtu + 1, 5 * kMtu, 100000, 300001};

// Messages of all sizes, each waited for; the last ones in a crowd.
void messages(bool isA) {
  Line line(VB_IBV_QPT_RC);
  size_t number = 0;
  for (size_t size : kSizes) {
    ++number;
    if (isA) {
      fill(line.memory, 0, size, number);
      vb_ibv_send_wr wr = line.request(VB_IBV_WR_SEND_WITH_IMM, number);
      wr.be_imm_data = 0x0a0b0c0d;
      meet();
      CHECK(line.pair.send(wr, line.memory.sge(0, size)) == 0);
      line.expectSent(number, VB_IBV_WC_SEND);
    } else {
      CHECK(line.receive(number, kBuffer) == 0);
      meet();
      vb_ibv_wc wc = line.f.await();
      CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == number && wc.byte_len == size && wc.opcode == VB_IBV_WC_RECV);
      CHECK(wc.wc_flags == VB_IBV_WC_WITH_IMM && wc.be_imm_data == 0x0a0b0c0d);
      CHECK(wc.src_qp == line.peer.qpn && wc.slid == line.peer.lid && wc.qp_num == line.pair.qp->qp_num);
      CHECK(holds(line.memory, kBuffer, size, number));
    }
  }
  constexpr size_t kCrowd = 200;
  constexpr size_t kSlot = 3000;
  if (!isA) {
    for (size_t i = 0; i < kCrowd; ++i) CHECK(line.receive(i, kSlot, i * kSlot) == 0);
  }
  meet();
  for (size_t i = 0; isA && i < kCrowd; ++i) {
    fill(line.memory, i * kSlot, kSlot, i);
    CHECK(line.pair.send(i, line.memory.sge(i * kSlot, kSlot)) == 0);
  }
  for (size_t i = 0; i < kCrowd; ++i) {
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == i);
    CHECK(isA || (wc.byte_len == kSlot && holds(line.memory, kBuffer + i * kSlot, kSlot, i)));
  }
  meet();
}

// Writes, reads and atomics; the other one does nothing but wait.
void remoteMemory(bool isA) {
  Line line(VB_IBV_QPT_RC);
  if (!isA) {
    fill(line.memory, kBuffer, kBuffer, 0);
    CHECK(line.receive(77, 0) == 0);
    meet();
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == 77 && wc.opcode == VB_IBV_WC_RECV_RDMA_WITH_IMM && wc.byte_len == 70000);
    CHECK(wc.be_imm_data == 5 && holds(line.memory, kBuffer, 70000, 3));
    line.handOver();
    meet();
    meet();
    line.handOver();
    uint64_t cell;
    memcpy(&cell, &line.memory.bytes[kBuffer], sizeof cell);
    CHECK(cell == 1000 + 100);
    return;
  }
  meet();
  for (size_t size : kSizes) {
    memset(line.memory.bytes.data(), 0, kBuffer);
    CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_READ, size), line.memory.sge(0, size)) == 0);
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == size && wc.opcode == VB_IBV_WC_RDMA_READ && wc.byte_len == size);
    CHECK(holds(line.memory, 0, size, 0) && line.memory.bytes[size] == 0);
  }
  // A write, and a read behind it that sees it; more reads than may be in flight.
  fill(line.memory, 0, 70000, 3);
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_WRITE, 1), line.memory.sge(0, 70000)) == 0);
  for (size_t i = 0; i < 10; ++i) {
    vb_ibv_send_wr read = line.request(VB_IBV_WR_RDMA_READ, 2);
    read.wr.rdma.remote_addr += i * 7000;
    CHECK(line.pair.send(read, line.memory.sge(100000 + i * 7000, 7000)) == 0);
  }
  line.expectSent(1, VB_IBV_WC_RDMA_WRITE);
  for (int i = 0; i < 10; ++i) line.expectSent(2, VB_IBV_WC_RDMA_READ);
  CHECK(holds(line.memory, 100000, 70000, 3));
  vb_ibv_send_wr told = line.request(VB_IBV_WR_RDMA_WRITE_WITH_IMM, 3);
  told.be_imm_data = 5;
  CHECK(line.pair.send(told, line.memory.sge(0, 70000)) == 0);
  line.expectSent(3, VB_IBV_WC_RDMA_WRITE);
  meet();
  // Each atomic is done once, whatever is lost or doubled.
  uint64_t start = 1000;
  memcpy(line.memory.bytes.data(), &start, sizeof start);
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_WRITE, 4), line.memory.sge(0, 8)) == 0);
  line.expectSent(4, VB_IBV_WC_RDMA_WRITE);
  for (uint64_t i = 0; i < 100; ++i) {
    vb_ibv_send_wr add = line.request(i % 2 == 0 ? VB_IBV_WR_ATOMIC_FETCH_AND_ADD : VB_IBV_WR_ATOMIC_CMP_AND_SWP, 5);
    add.wr.atomic = {line.peer.address, i % 2 == 0 ? 1 : start + i, start + i + 1, line.peer.rkey};
    CHECK(line.pair.send(add, line.memory.sge(8 * i, 8)) == 0);
  }
  for (uint64_t i = 0; i < 100; ++i) {
    line.expectSent(5, i % 2 == 0 ? VB_IBV_WC_FETCH_ADD : VB_IBV_WC_COMP_SWAP);
    uint64_t before;
    memcpy(&before, &line.memory.bytes[8 * i], sizeof before);
    CHECK(before == start + i);
  }
  meet();
}

// Unreliable: what arrives is whole and in order, wherever the gaps are.
void unreliable(bool isA) {
  Line line(VB_IBV_QPT_UC);
  constexpr uint32_t kCount = 200;
  constexpr size_t kLength = 4 * kMtu;
  if (isA) {
    meet();
    for (uint32_t i = 0; i < kCount; ++i) {
      fill(line.memory, 0, kLength, i);
      vb_ibv_send_wr wr = line.request(i % 2 == 0 ? VB_IBV_WR_SEND_WITH_IMM : VB_IBV_WR_RDMA_WRITE_WITH_IMM, i);
      wr.be_imm_data = i;
      CHECK(line.pair.send(wr, line.memory.sge(0, kLength)) == 0);
      CHECK(line.f.await().status == VB_IBV_WC_SUCCESS);
    }
    ask("no faults");
    // Enough that the last of them is complete.
    vb_ibv_send_wr last = line.request(VB_IBV_WR_SEND_WITH_IMM, kCount);
    last.be_imm_data = kCount;
    CHECK(line.pair.send(last, line.memory.sge(0, 1)) == 0);
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS);
    meet();
    return;
  }
  for (uint32_t i = 0; i < kCount + 1; ++i) CHECK(line.receive(i, kLength, kBuffer / 2) == 0);
  meet();
  uint32_t count = 0;
  int64_t before = -1;
  for (;;) {
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.status == VB_IBV_WC_SUCCESS && wc.wr_id == count && wc.be_imm_data > before);
    before = wc.be_imm_data;
    if (wc.be_imm_data == kCount) break;
    CHECK(wc.byte_len == kLength && wc.opcode == (wc.be_imm_data % 2 == 0 ? VB_IBV_WC_RECV : VB_IBV_WC_RECV_RDMA_WITH_IMM));
    ++count;
  }
  say("received " + std::to_string(count));
  meet();
}

void receiverNotReady(bool isA) {
  {
    Line line(VB_IBV_QPT_RC);
    if (isA) {
      CHECK(line.pair.send(1, line.memory.sge(0, 5000)) == 0);
      CHECK(line.pair.send(2, line.memory.sge(0, 10)) == 0);
      ask("some time");
      vb_ibv_wc none;
      CHECK(line.f.poll(&none) == 0);
      meet();
      line.expectSent(1, VB_IBV_WC_SEND);
      line.expectSent(2, VB_IBV_WC_SEND);
    } else {
      meet();
      CHECK(line.receive(1, 5000) == 0 && line.receive(2, 5000) == 0);
      CHECK(line.f.await().wr_id == 1 && line.f.await().wr_id == 2);
    }
    meet();
  }
  Line line(VB_IBV_QPT_RC, 2);
  if (isA) {
    CHECK(line.pair.send(1, line.memory.sge(0, 10)) == 0 && line.pair.send(2, line.memory.sge(0, 10)) == 0);
    CHECK(line.f.await().status == VB_IBV_WC_RNR_RETRY_EXC_ERR);
    CHECK(line.f.await().status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
  }
  meet();
}

namespace {
struct Refusal {
  std::function<void(Line &)> attempt;
  int status;
  int event;  // at the responder; -1: none
  // A receive before the others, and how it ends; NULL: none.
  std::function<void(Line &)> receive;
  int receiveStatus;
};
}  // namespace

void refusals(bool isA) {
  const Refusal all[] = {
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_RDMA_WRITE, 1);
         wr.wr.rdma.rkey += 1;
         CHECK(l.pair.send(wr, l.memory.sge(0, 3000)) == 0);
       },
       VB_IBV_WC_REM_ACCESS_ERR, VB_IBV_EVENT_QP_ACCESS_ERR, nullptr, 0},
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_RDMA_READ, 1);
         wr.wr.rdma.remote_addr += kBuffer - 10;
         CHECK(l.pair.send(wr, l.memory.sge(0, 11)) == 0);
       },
       VB_IBV_WC_REM_ACCESS_ERR, VB_IBV_EVENT_QP_ACCESS_ERR, nullptr, 0},
      {[](Line &l) {
         vb_ibv_send_wr wr = l.request(VB_IBV_WR_ATOMIC_FETCH_AND_ADD, 1);
         wr.wr.atomic = {l.peer.address + 4, 1, 0, l.peer.rkey};
         CHECK(l.pair.send(wr, l.memory.sge(0, 8)) == 0);
       },
       VB_IBV_WC_REM_INV_REQ_ERR, VB_IBV_EVENT_QP_REQ_ERR, nullptr, 0},
      // Longer than the receive.
      {[](Line &l) { CHECK(l.pair.send(l.request(VB_IBV_WR_SEND, 1), l.memory.sge(0, 4000)) == 0); }, VB_IBV_WC_REM_INV_REQ_ERR,
       VB_IBV_EVENT_QP_REQ_ERR, [](Line &l) { CHECK(l.receive(8, 3000) == 0); }, VB_IBV_WC_LOC_LEN_ERR},
      // Into memory that the receive may not name.
      {[](Line &l) { CHECK(l.pair.send(l.request(VB_IBV_WR_SEND, 1), l.memory.sge(0, 10)) == 0); }, VB_IBV_WC_REM_OP_ERR, -1,
       [](Line &l) {
         vb_ibv_sge sge = l.memory.sge(0, 100);
         sge.lkey += 1;
         CHECK(l.pair.receive(8, sge) == 0);
       },
       VB_IBV_WC_LOC_PROT_ERR},
  };
  for (const Refusal &one : all) {
    Line line(VB_IBV_QPT_RC);
    if (!isA) {
      if (one.receive) one.receive(line);
      CHECK(line.receive(9, 100) == 0);
      meet();
      if (one.event >= 0) {
        int first = line.nextEvent();
        CHECK((first == VB_IBV_EVENT_COMM_EST ? line.nextEvent() : first) == one.event);
      }
      vb_ibv_wc wc = {};
      if (one.receive) {
        wc = line.f.await();
        CHECK(wc.wr_id == 8 && wc.status == one.receiveStatus);
      }
      wc = line.f.await();
      CHECK(wc.wr_id == 9 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
    } else {
      meet();
      one.attempt(line);
      CHECK(line.pair.send(2, line.memory.sge(0, 10)) == 0);
      vb_ibv_wc wc = line.f.await();
      CHECK(wc.wr_id == 1 && wc.status == one.status);
      wc = line.f.await();
      CHECK(wc.wr_id == 2 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
    }
    meet();
  }
}

// Nobody answers: after the last retry the send fails, and the rest is flushed. What the fabric does meanwhile is up to who runs it.
void noAnswer(bool isA) {
  Line line(VB_IBV_QPT_RC, 7, 2, 1);
  if (!isA) CHECK(line.receive(1, 100) == 0);
  meet();
  if (!isA) {
    ask("cut off");
    say("> cut off");
    meet();
    ask("state");
    vb_ibv_wc wc;
    say(line.f.poll(&wc) == 1 && wc.status == VB_IBV_WC_SUCCESS ? "received it" : "received nothing");
    return;
  }
  CHECK(hear() == "cut off");
  CHECK(line.pair.send(1, line.memory.sge(0, 50)) == 0 && line.pair.send(2, line.memory.sge(0, 50)) == 0);
  vb_ibv_wc wc = line.f.await();
  CHECK(wc.wr_id == 1 && wc.status == VB_IBV_WC_RETRY_EXC_ERR);
  wc = line.f.await();
  CHECK(wc.wr_id == 2 && wc.status == VB_IBV_WC_WR_FLUSH_ERR && line.state() == VB_IBV_QPS_ERR);
  meet();
}

// The link goes in the middle and comes back before the retries are used up.
void survives(bool isA) {
  Line line(VB_IBV_QPT_RC, 7, 7, 16);
  constexpr size_t kLength = 200000;
  if (!isA) {
    CHECK(line.receive(1, kLength) == 0 && line.receive(2, kLength) == 0);
    meet();
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS && line.f.await().status == VB_IBV_WC_SUCCESS);
    CHECK(holds(line.memory, kBuffer, kLength, 6));
    meet();
    return;
  }
  fill(line.memory, 0, kLength, 6);
  meet();
  CHECK(line.pair.send(1, line.memory.sge(0, kLength)) == 0);
  ask("link down");
  CHECK(line.pair.send(2, line.memory.sge(0, kLength)) == 0);
  ask("link up");
  line.expectSent(1, VB_IBV_WC_SEND);
  line.expectSent(2, VB_IBV_WC_SEND);
  meet();
}

// A fenced send waits for the reads before it.
void fence(bool isA) {
  Line line(VB_IBV_QPT_RC);
  if (!isA) {
    fill(line.memory, kBuffer, 50000, 2);
    CHECK(line.receive(1, 50000) == 0);
    meet();
    // What was read there comes back: it was there when the send left.
    CHECK(line.f.await().status == VB_IBV_WC_SUCCESS && holds(line.memory, kBuffer, 50000, 2));
    meet();
    return;
  }
  meet();
  CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_READ, 1), line.memory.sge(0, 50000)) == 0);
  vb_ibv_send_wr wr = line.request(VB_IBV_WR_SEND, 2);
  wr.send_flags |= VB_IBV_SEND_FENCE;
  CHECK(line.pair.send(wr, line.memory.sge(0, 50000)) == 0);
  line.expectSent(1, VB_IBV_WC_RDMA_READ);
  line.expectSent(2, VB_IBV_WC_SEND);
  meet();
}

// Both ends go while messages are on their way: what comes after that is nobody's, and nothing of it is told to a queue pair that is new.
void abandoned(bool isA) {
  for (int turn = 0; turn < 20; ++turn) {
    Line line(VB_IBV_QPT_RC);
    if (!isA) CHECK(line.receive(1, kBuffer) == 0);
    meet();
    if (!isA) continue;
    for (int i = 0; i < 5; ++i) CHECK(line.pair.send(1, line.memory.sge(0, 300000)) == 0);
    CHECK(line.pair.send(line.request(VB_IBV_WR_RDMA_READ, 2), line.memory.sge(0, 300000)) == 0);
  }
  Line line(VB_IBV_QPT_RC);
  vb_ibv_wc none;
  CHECK(line.f.poll(&none) == 0);
  meet();
}

// A receive that a message has begun to fill is flushed with those behind it. No acknowledgement goes back, so the message stays half.
void halfReceived(bool isA) {
  Line line(VB_IBV_QPT_RC);
  if (isA) {
    meet();
    CHECK(line.pair.send(1, line.memory.sge(0, kBuffer)) == 0);
    meet();
    return;
  }
  CHECK(line.receive(1, kBuffer) == 0 && line.receive(2, 10) == 0);
  ask("no way back");
  meet();
  ask("packets here");
  vb_ibv_qp_attr error = {};
  error.qp_state = VB_IBV_QPS_ERR;
  CHECK(line.pair.modify(error, VB_IBV_QP_STATE) == 0);
  for (uint64_t wrId : {1, 2}) {
    vb_ibv_wc wc = line.f.await();
    CHECK(wc.wr_id == wrId && wc.status == VB_IBV_WC_WR_FLUSH_ERR);
  }
  meet();
}
