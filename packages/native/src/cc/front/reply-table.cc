#include "front/reply-table.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "front/request-frame.h"

namespace verbena::front {
namespace {

constexpr size_t kFirstBuckets = 256;

size_t CostOf(size_t key_size, size_t reply_size) { return sizeof(ReplyTable::Entry) + key_size + reply_size; }

// What is asked: the opcode, then the bytes behind the header.
size_t KeySize(size_t request_size) { return 1 + request_size - kHeaderSize; }

void WriteKey(uint8_t* key, const uint8_t* request, size_t request_size) {
  key[0] = request[1];
  if (request_size > kHeaderSize) std::memcpy(key + 1, request + kHeaderSize, request_size - kHeaderSize);
}

bool IsKeyOf(const uint8_t* key, const uint8_t* request, size_t request_size) {
  if (key[0] != request[1]) return false;
  return request_size == kHeaderSize || std::memcmp(key + 1, request + kHeaderSize, request_size - kHeaderSize) == 0;
}

}  // namespace

uint64_t ReplyTable::Hash(const uint8_t* request, size_t request_size) const {
  SipHash<1, 3> hash(key_);
  hash.Word(request[1] | static_cast<uint64_t>(request_size) << 8);
  size_t at = kHeaderSize;
  for (; at + 8 <= request_size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, request + at, sizeof word);
    hash.Word(word);
  }
  return hash.Finish(request + at, request_size > at ? request_size - at : 0);
}

ReplyTable::Entry** ReplyTable::Locate(uint64_t hash, const uint8_t* request, size_t request_size) {
  if (buckets_.empty()) return nullptr;
  const size_t key_size = KeySize(request_size);
  Entry** link = &buckets_[hash & (buckets_.size() - 1)];
  while (*link != nullptr) {
    Entry* entry = *link;
    if (entry->hash == hash && entry->key_size == key_size && IsKeyOf(entry->key(), request, request_size)) return link;
    link = &entry->next;
  }
  return nullptr;
}

void ReplyTable::Put(const uint8_t* request, size_t request_size, const uint8_t* reply, size_t reply_size, uint64_t expires_ns,
                     uint32_t account, const uint32_t* tags, size_t tag_count) {
  const uint64_t hash = Hash(request, request_size);
  if (Entry** link = Locate(hash, request, request_size)) Remove(link);
  const size_t key_size = KeySize(request_size);
  const size_t cost = CostOf(key_size, reply_size);
  if (cost > max_bytes_ || tag_count > kMaxTags) return;
  while (bytes_ + cost > max_bytes_) RemoveOldest();
  if (size_ >= buckets_.size()) Grow();

  void* block = std::malloc(cost);
  if (block == nullptr) return;  // a reply that is not kept is asked for again
  auto* entry = new (block) Entry();
  entry->hash = hash;
  entry->expires_ns = expires_ns;
  entry->account = account;
  entry->key_size = static_cast<uint32_t>(key_size);
  entry->reply_size = static_cast<uint32_t>(reply_size);
  entry->stamp_count = static_cast<uint32_t>(tag_count);
  for (size_t i = 0; i < tag_count; i++) {
    if (tags[i] >= generations_.size()) generations_.resize(tags[i] + 1);
    entry->stamps[i] = {tags[i], generations_[tags[i]]};
  }
  WriteKey(entry->key(), request, request_size);
  std::memcpy(entry->key() + key_size, reply, reply_size);
  Entry*& bucket = buckets_[hash & (buckets_.size() - 1)];
  entry->next = bucket;
  bucket = entry;
  Link(entry);
  size_++;
  bytes_ += cost;
}

ReplyTable::Entry* ReplyTable::Find(const uint8_t* request, size_t request_size, uint64_t now_ns) {
  Entry** link = Locate(Hash(request, request_size), request, request_size);
  if (link == nullptr) return nullptr;
  Entry* entry = *link;
  if (entry->expires_ns <= now_ns || !IsCurrent(*entry)) {
    Remove(link);
    return nullptr;
  }
  if (entry != newest_) {
    Unlink(entry);
    Link(entry);
  }
  return entry;
}

void ReplyTable::Invalidate(uint32_t tag) {
  if (tag < generations_.size()) generations_[tag]++;
}

void ReplyTable::Clear() {
  while (oldest_ != nullptr) RemoveOldest();
}

bool ReplyTable::IsCurrent(const Entry& entry) const {
  for (uint32_t i = 0; i < entry.stamp_count; i++) {
    if (generations_[entry.stamps[i].tag] != entry.stamps[i].generation) return false;
  }
  return true;
}

void ReplyTable::Remove(Entry** link) {
  Entry* entry = *link;
  *link = entry->next;
  Unlink(entry);
  size_--;
  bytes_ -= CostOf(entry->key_size, entry->reply_size);
  std::free(entry);
}

void ReplyTable::RemoveOldest() {
  Entry** link = &buckets_[oldest_->hash & (buckets_.size() - 1)];
  while (*link != oldest_) link = &(*link)->next;
  Remove(link);
}

void ReplyTable::Grow() {
  std::vector<Entry*> buckets(buckets_.empty() ? kFirstBuckets : buckets_.size() * 2);
  for (Entry* entry = oldest_; entry != nullptr; entry = entry->newer) {
    Entry*& bucket = buckets[entry->hash & (buckets.size() - 1)];
    entry->next = bucket;
    bucket = entry;
  }
  buckets_ = std::move(buckets);
}

void ReplyTable::Link(Entry* entry) {
  entry->newer = nullptr;
  entry->older = newest_;
  (newest_ == nullptr ? oldest_ : newest_->newer) = entry;
  newest_ = entry;
}

void ReplyTable::Unlink(Entry* entry) {
  (entry->newer == nullptr ? newest_ : entry->newer->older) = entry->older;
  (entry->older == nullptr ? oldest_ : entry->older->newer) = entry->newer;
}

}  // namespace verbena::front
