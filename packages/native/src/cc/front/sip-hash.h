#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace verbena::front {

// 128 bits that nobody else knows.
struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;
};

// SipHash-c-d (Aumasson and Bernstein, 2012) of a message that comes word by word, words little-endian: a hash whose collisions
// nobody can choose who does not know the key. 1-3 is what hash tables of languages use, 2-4 what the paper has vectors for.
template <int kCompressions, int kFinalizations>
class SipHash {
 public:
  explicit SipHash(const SipKey& key)
      : v0_(key.low ^ 0x736f6d6570736575),
        v1_(key.high ^ 0x646f72616e646f6d),
        v2_(key.low ^ 0x6c7967656e657261),
        v3_(key.high ^ 0x7465646279746573) {}

  void Word(uint64_t word) {
    v3_ ^= word;
    Rounds<kCompressions>();
    v0_ ^= word;
    size_ += sizeof word;
  }

  // With the bytes behind the last whole word: fewer than eight.
  uint64_t Finish(const uint8_t* rest = nullptr, size_t rest_size = 0) {
    uint64_t last = 0;
    for (size_t i = 0; i < rest_size; i++) last |= static_cast<uint64_t>(rest[i]) << (8 * i);
    Word(last | static_cast<uint64_t>(size_ + rest_size) << 56);
    v2_ ^= 0xff;
    Rounds<kFinalizations>();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  static uint64_t Rotate(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

  template <int kCount>
  void Rounds() {
    for (int i = 0; i < kCount; i++) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = Rotate(v1_, 13) ^ v0_;
      v3_ = Rotate(v3_, 16) ^ v2_;
      v0_ = Rotate(v0_, 32);
      v2_ += v1_;
      v0_ += v3_;
      v1_ = Rotate(v1_, 17) ^ v2_;
      v3_ = Rotate(v3_, 21) ^ v0_;
      v2_ = Rotate(v2_, 32);
    }
  }

  uint64_t v0_, v1_, v2_, v3_;
  size_t size_ = 0;
};

}  // namespace verbena::front
