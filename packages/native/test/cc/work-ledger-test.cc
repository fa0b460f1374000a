// WorkLedger: credits, the program's numbers given back, and what is refused.
#include "rdma/work-ledger.h"

#include <bit>

#include "check.h"

using verbena::LedgerEntry;
using verbena::WorkLedger;

namespace {

std::vector<uint64_t> Take(WorkLedger& ledger, const std::vector<LedgerEntry>& entries) {
  std::vector<uint64_t> numbers;
  ledger.Take(entries, [&](size_t, uint64_t number) { numbers.push_back(number); });
  return numbers;
}

// False for a number that is not under way.
bool Complete(WorkLedger& ledger, uint64_t number, LedgerEntry* entry) {
  uint64_t wr_id = 0;
  if (!ledger.Complete(static_cast<uint32_t>(number), &wr_id, &entry->token)) return false;
  entry->wr_id = std::bit_cast<double>(wr_id);
  return true;
}

// In the order of posting: one completion ends everything before it.
void Posted() {
  WorkLedger ledger(6, WorkLedger::Order::kPosted);
  ledger.set_id(3);
  CHECK_EQ(ledger.Credits(), 6);
  const auto numbers = Take(ledger, {{10, 0}, {11, 1}, {12, 0}});
  CHECK_EQ(numbers.size(), 3);
  CHECK_EQ(numbers[0] >> 32, 3);
  CHECK_EQ(ledger.Credits(), 3);
  LedgerEntry entry;
  CHECK(Complete(ledger, numbers[1], &entry));
  CHECK_EQ(entry.wr_id, 11);
  CHECK_EQ(entry.token, 1);
  CHECK_EQ(ledger.Credits(), 5);
  // Not under way any more, and not yet.
  CHECK(!Complete(ledger, numbers[0], &entry));
  CHECK(!Complete(ledger, numbers[2] + 1, &entry));
  // The device has refused the last one.
  const auto refused = Take(ledger, {{13, 0}});
  ledger.GiveBack(refused[0]);
  CHECK_EQ(ledger.Credits(), 5);
  ledger.Reset();
  CHECK_EQ(ledger.Credits(), 6);
  CHECK(!Complete(ledger, numbers[2], &entry));
}

// Places in the ledger are used again.
void Again() {
  WorkLedger ledger(4, WorkLedger::Order::kPosted);
  LedgerEntry entry;
  const std::vector<LedgerEntry> two = {{1, 0}, {2, 0}};
  for (uint32_t i = 0; i < 1000; i++) {
    const auto numbers = Take(ledger, two);
    CHECK(Complete(ledger, numbers[1], &entry));
    CHECK_EQ(entry.wr_id, 2);
    CHECK_EQ(ledger.Credits(), 4);
  }
}

// A shared receive queue: in any order.
void Any() {
  WorkLedger ledger(4, WorkLedger::Order::kAny);
  const auto numbers = Take(ledger, {{1, 0}, {2, 0}, {3, 7}, {4, 0}});
  CHECK_EQ(ledger.Credits(), 0);
  LedgerEntry entry;
  CHECK(Complete(ledger, numbers[2], &entry));
  CHECK_EQ(entry.wr_id, 3);
  CHECK_EQ(entry.token, 7);
  CHECK(!Complete(ledger, numbers[2], &entry));
  CHECK(!Complete(ledger, 99, &entry));
  CHECK(Complete(ledger, numbers[0], &entry));
  CHECK_EQ(ledger.Credits(), 2);
  ledger.GiveBack(numbers[3]);
  CHECK_EQ(ledger.Credits(), 3);
}

}  // namespace

int main() {
  Posted();
  Again();
  Any();
  return 0;
}
