// ReplyTable: keys, tags, expiry, bounds; and its hash.
#include "front/reply-table.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "front/request-frame.h"

using verbena::front::kHeaderSize;
using verbena::front::ReplyTable;
using verbena::front::SipHash;
using verbena::front::SipKey;

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

// Of the bytes 0, 1, 2 … size - 1.
template <int kCompressions, int kFinalizations>
uint64_t SipHashOf(size_t size, const SipKey& key) {
  SipHash<kCompressions, kFinalizations> hash(key);
  uint8_t bytes[64];
  for (size_t i = 0; i < size; i++) bytes[i] = static_cast<uint8_t>(i);
  size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++) word |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
    hash.Word(word);
  }
  return hash.Finish(bytes + at, size - at);
}

void TestHash() {
  // Vectors of the paper's authors, key 00 01 … 0f.
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  const std::pair<size_t, uint64_t> of_authors[] = {
      {0, 0x726fdb47dd0e0e31},
      {1, 0x74f839c593dc67fd},
      {8, 0x93f5f5799a932462},
      {15, 0xa129ca6149be45e5},
      {63, 0x958a324ceb064572},
  };
  for (const auto& [size, hash] : of_authors) CHECK_EQ((SipHashOf<2, 4>(size, key)), hash);
  // What Rust's DefaultHasher, which is SipHash-1-3 with the key 0, gives for the same bytes.
  const std::pair<size_t, uint64_t> of_rust[] = {
      {0, 0xd1fba762150c532c},
      {1, 0x68a914128e01e473},
      {8, 0xead411e67ebe2eea},
      {15, 0xf30eb725bb91c9ea},
      {63, 0x385d3e39e5f37359},
  };
  for (const auto& [size, hash] : of_rust) CHECK_EQ((SipHashOf<1, 3>(size, {})), hash);
}

}  // namespace

int main() {
  TestHash();
  {
    ReplyTable table(1 << 20, {1, 2});
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
    ReplyTable table(3 * cost, {1, 2});
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
    ReplyTable table(64 << 20, {1, 2});
    for (uint32_t i = 0; i < 50000; i++) Put(table, Request(1, i), std::to_string(i), {i % 4096});
    for (uint32_t i = 0; i < 50000; i++) CHECK(Find(table, Request(1, i)) == std::to_string(i));
    for (uint32_t tag = 0; tag < 2048; tag++) table.Invalidate(tag);
    for (uint32_t i = 0; i < 50000; i++) CHECK(Find(table, Request(1, i)).empty() == (i % 4096 < 2048));
  }
  return 0;
}
