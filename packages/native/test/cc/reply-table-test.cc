// ReplyTable: keys, tags, expiry, bounds.
#include "front/reply-table.h"

#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "front/request-frame.h"

using verbena::front::kHeaderSize;
using verbena::front::ReplyTable;

namespace {

using Message = std::vector<uint8_t>;

Message Request(uint8_t opcode, uint32_t number, uint8_t tid = 0) {
  Message message(kHeaderSize + 72);
  message[0] = 1;
  message[1] = opcode;
  message[15] = tid;
  std::memcpy(&message[kHeaderSize + 20], &number, sizeof number);
  return message;
}

void Put(ReplyTable& table, const Message& request, const std::string& reply, std::vector<uint32_t> tags, uint64_t expires = 1000) {
  table.Put(request.data(), request.size(), reinterpret_cast<const uint8_t*>(reply.data()), reply.size(), expires, 0, tags.data(),
            tags.size());
}

std::string Find(ReplyTable& table, const Message& request, uint64_t now = 0) {
  const ReplyTable::Entry* entry = table.Find(request.data(), request.size(), now);
  return entry == nullptr ? "" : std::string(reinterpret_cast<const char*>(entry->reply()), entry->reply_size);
}

}  // namespace

int main() {
  {
    ReplyTable table(1 << 20, 42);
    CHECK(Find(table, Request(1, 7)).empty());
    Put(table, Request(1, 7), "seven", {0, 1});
    // The header but for the opcode does not count; the opcode and the body do.
    CHECK(Find(table, Request(1, 7, 99)) == "seven");
    CHECK(Find(table, Request(2, 7)).empty());
    CHECK(Find(table, Request(1, 8)).empty());
    Message shorter = Request(1, 7);
    shorter.resize(kHeaderSize);
    CHECK(Find(table, shorter).empty());
    Put(table, shorter, "header", {});
    CHECK(Find(table, shorter) == "header");
    // Replaced, not added.
    Put(table, Request(1, 7), "again", {0, 1});
    CHECK(Find(table, Request(1, 7)) == "again");
    CHECK_EQ(table.size(), 2);
    // A tag of several is enough; what is put after the invalidation is good.
    table.Invalidate(1);
    table.Invalidate(77);
    CHECK(Find(table, Request(1, 7)).empty());
    CHECK_EQ(table.size(), 1);
    Put(table, Request(1, 7), "new", {0, 1});
    CHECK(Find(table, Request(1, 7)) == "new");
    // Good until it expires, and not at that instant.
    CHECK(Find(table, Request(1, 7), 999) == "new");
    CHECK(Find(table, Request(1, 7), 1000).empty());
    table.Clear();
    CHECK_EQ(table.size(), 0);
    CHECK_EQ(table.bytes(), 0);
  }
  {
    // Room for three: the least recently used goes.
    const size_t cost = sizeof(ReplyTable::Entry) + 1 + 72 + 4;
    ReplyTable table(3 * cost, 1);
    for (uint32_t i = 0; i < 3; i++) Put(table, Request(1, i), "four", {});
    CHECK(Find(table, Request(1, 0)) == "four");
    Put(table, Request(1, 3), "four", {});
    CHECK(Find(table, Request(1, 1)).empty());
    CHECK(Find(table, Request(1, 0)) == "four");
    CHECK_EQ(table.size(), 3);
    CHECK_EQ(table.bytes(), 3 * cost);
    Put(table, Request(1, 4), std::string(4 * cost, 'x'), {});
    CHECK(Find(table, Request(1, 4)).empty());
    CHECK_EQ(table.size(), 3);
  }
  {
    ReplyTable table(64 << 20, 7);
    for (uint32_t i = 0; i < 50000; i++) Put(table, Request(1, i), std::to_string(i), {i % 4096});
    for (uint32_t i = 0; i < 50000; i++) CHECK(Find(table, Request(1, i)) == std::to_string(i));
    for (uint32_t tag = 0; tag < 2048; tag++) table.Invalidate(tag);
    for (uint32_t i = 0; i < 50000; i++) CHECK(Find(table, Request(1, i)).empty() == (i % 4096 < 2048));
  }
  return 0;
}
