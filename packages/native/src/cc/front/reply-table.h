#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "front/sip-hash.h"

namespace verbena::front {

// Replies by what was asked: the opcode and the bytes behind the header. An entry is good until it expires, until one of its tags is
// invalidated, or until it makes room; the least recently used goes first. Not synchronised: the owner's lock is.
class ReplyTable {
 public:
  static constexpr size_t kMaxTags = 4;

  // A tag is a small number chosen by who puts. What was put with it before Invalidate() is never found again.
  struct Stamp {
    uint32_t tag = 0;
    uint32_t generation = 0;
  };

  struct Entry {
    Entry* next = nullptr;  // in its bucket
    Entry* newer = nullptr;
    Entry* older = nullptr;
    uint64_t hash = 0;
    uint64_t expires_ns = 0;  // CLOCK_MONOTONIC
    uint32_t account = 0;
    uint32_t key_size = 0;
    uint32_t reply_size = 0;
    uint32_t stamp_count = 0;
    Stamp stamps[kMaxTags];
    // Key and reply follow.
    uint8_t* key() { return reinterpret_cast<uint8_t*>(this + 1); }
    const uint8_t* reply() const { return reinterpret_cast<const uint8_t*>(this + 1) + key_size; }
  };

  // `max_bytes` counts keys, replies and what an entry needs besides. `key` makes it nobody's to choose which requests share
  // a bucket.
  ReplyTable(size_t max_bytes, const SipKey& key) : max_bytes_(max_bytes), key_(key) {}
  ~ReplyTable() { Clear(); }
  ReplyTable(const ReplyTable&) = delete;
  ReplyTable& operator=(const ReplyTable&) = delete;

  // `request` is a whole message. Replaces what is there under the same key. Nothing happens for a reply that is larger than the table.
  void Put(const uint8_t* request, size_t request_size, const uint8_t* reply, size_t reply_size, uint64_t expires_ns,
           uint32_t account, const uint32_t* tags, size_t tag_count);
  // The reply to `request` as it was put, or NULL. Valid until the next call.
  Entry* Find(const uint8_t* request, size_t request_size, uint64_t now_ns);
  void Invalidate(uint32_t tag);
  // Drops everything.
  void Clear();

  size_t size() const { return size_; }
  size_t bytes() const { return bytes_; }

 private:
  uint64_t Hash(const uint8_t* request, size_t request_size) const;
  Entry** Locate(uint64_t hash, const uint8_t* request, size_t request_size);
  bool IsCurrent(const Entry& entry) const;
  void Remove(Entry** link);
  void RemoveOldest();
  void Grow();
  void Link(Entry* entry);    // as the newest
  void Unlink(Entry* entry);  // from the order of use

  const size_t max_bytes_;
  const SipKey key_;
  std::vector<Entry*> buckets_;
  std::vector<uint32_t> generations_;  // by tag
  Entry* newest_ = nullptr;
  Entry* oldest_ = nullptr;
  size_t size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace verbena::front
