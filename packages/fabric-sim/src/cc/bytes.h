// Bounds-checked reading and writing of byte strings. The attach protocol is little-endian, InfiniBand packets are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricsim {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

inline uint16_t getBe16(const uint8_t *p) { return static_cast<uint16_t>(p[0] << 8 | p[1]); }
inline uint32_t getBe32(const uint8_t *p) { return static_cast<uint32_t>(getBe16(p)) << 16 | getBe16(p + 2); }
inline uint64_t getBe64(const uint8_t *p) { return static_cast<uint64_t>(getBe32(p)) << 32 | getBe32(p + 4); }
inline void putBe16(uint8_t *p, uint16_t v) {
  p[0] = static_cast<uint8_t>(v >> 8);
  p[1] = static_cast<uint8_t>(v);
}
inline void putBe32(uint8_t *p, uint32_t v) {
  putBe16(p, static_cast<uint16_t>(v >> 16));
  putBe16(p + 2, static_cast<uint16_t>(v));
}
inline void putBe64(uint8_t *p, uint64_t v) {
  putBe32(p, static_cast<uint32_t>(v >> 32));
  putBe32(p + 4, static_cast<uint32_t>(v));
}

// Reads little-endian values in order. A read beyond the end gives 0 and makes ok() false for good.
class LeReader {
 public:
  explicit LeReader(ByteView bytes) : rest_(bytes) {}

  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  // A string with its length in front as u16.
  std::string text() {
    ByteView bytes = take(u16());
    return {bytes.begin(), bytes.end()};
  }
  ByteView take(size_t length) {
    if (length > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    ByteView taken = rest_.first(length);
    rest_ = rest_.subspan(length);
    return taken;
  }
  ByteView rest() { return take(rest_.size()); }
  bool ok() const { return ok_; }
  bool atEnd() const { return ok_ && rest_.empty(); }

 private:
  uint64_t number(size_t width) {
    ByteView bytes = take(width);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
    return value;
  }

  ByteView rest_;
  bool ok_ = true;
};

// Appends little-endian values.
class LeWriter {
 public:
  LeWriter &u8(uint8_t v) { return number(v, 1); }
  LeWriter &u16(uint16_t v) { return number(v, 2); }
  LeWriter &u32(uint32_t v) { return number(v, 4); }
  LeWriter &u64(uint64_t v) { return number(v, 8); }
  LeWriter &text(std::string_view v) {
    u16(static_cast<uint16_t>(v.size()));
    bytes_.insert(bytes_.end(), v.begin(), v.end());
    return *this;
  }
  LeWriter &raw(ByteView v) {
    bytes_.insert(bytes_.end(), v.begin(), v.end());
    return *this;
  }
  const Bytes &bytes() const { return bytes_; }

 private:
  LeWriter &number(uint64_t v, size_t width) {
    for (size_t i = 0; i < width; ++i) bytes_.push_back(static_cast<uint8_t>(v >> (8 * i)));
    return *this;
  }

  Bytes bytes_;
};

}  // namespace fabricsim
