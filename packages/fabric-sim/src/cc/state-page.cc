#include "state-page.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "bytes.h"
#include "raw-open.h"

namespace fabricsim {

namespace {
constexpr uint32_t kMagic = 0x50534656;  // "VFSP"
constexpr uint32_t kVersion = 1;
constexpr size_t kSequenceOffset = 8;
constexpr size_t kHeaderSize = 256;
constexpr size_t kPortSize = 1024;
constexpr size_t kGidsOffset = 64;
constexpr size_t kMaxGids = 32;
constexpr size_t kPkeysOffset = kGidsOffset + kMaxGids * 16;
constexpr size_t kMaxPkeys = 128;
constexpr size_t kMaxPorts = 254;
constexpr size_t kDescriptionSize = 64;
constexpr auto kPatience = std::chrono::milliseconds(500);

// Keeps the copy before the second look at the sequence.
inline void orderLoads() {
#ifdef __SANITIZE_THREAD__
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the sanitizer knows no fences, and the writer is another process
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

bool parsePort(ByteView record, PortState &port) {
  LeReader fields(record);
  port.number = static_cast<uint8_t>(fields.u32());
  port.lid = fields.u16();
  port.smLid = fields.u16();
  port.state = fields.u8();
  port.physState = fields.u8();
  port.lmc = fields.u8() & 7;
  port.smSl = fields.u8();
  port.mtuCap = fields.u8();
  port.activeMtu = fields.u8();
  port.width = fields.u8();
  port.subnetTimeout = fields.u8();
  port.speed = fields.u16();
  size_t gids = fields.u16();
  size_t pkeys = fields.u16();
  fields.u16();
  port.capabilityMask = fields.u32();
  port.rateTenths = fields.u32();
  port.guid = fields.u64();
  port.pkeyViolations = fields.u16();
  port.qkeyViolations = fields.u16();
  if (!fields.ok() || gids > kMaxGids || pkeys > kMaxPkeys) return false;
  port.gids.resize(gids);
  for (size_t i = 0; i < gids; ++i) memcpy(port.gids[i].data(), record.data() + kGidsOffset + i * 16, 16);
  LeReader keys(record.subspan(kPkeysOffset, pkeys * 2));
  port.pkeys.resize(pkeys);
  for (uint16_t &pkey : port.pkeys) pkey = keys.u16();
  return true;
}

bool parsePage(ByteView page, HcaState &state) {
  size_t count = LeReader(page.subspan(20)).u32();
  if (count > kMaxPorts || page.size() < kHeaderSize + count * kPortSize) return false;
  LeReader fields(page.subspan(64));
  state.nodeGuid = fields.u64();
  state.sysImageGuid = fields.u64();
  state.vendorId = fields.u32();
  state.deviceId = fields.u32();
  ByteView description = fields.take(kDescriptionSize);
  state.nodeDescription.assign(description.begin(), description.end());
  state.nodeDescription.resize(strnlen(state.nodeDescription.data(), kDescriptionSize));
  state.ports.assign(count, {});
  for (size_t i = 0; i < count; ++i) {
    if (!parsePort(page.subspan(kHeaderSize + i * kPortSize, kPortSize), state.ports[i])) return false;
  }
  return true;
}
}  // namespace

const PortState *HcaState::port(unsigned number) const {
  for (const PortState &candidate : ports) {
    if (candidate.number == number) return &candidate;
  }
  return nullptr;
}

std::unique_ptr<StatePage> StatePage::open(const std::string &path) {
  int fd = rawOpen(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat info = {};
  size_t size = 0;
  void *bytes = MAP_FAILED;
  if (fstat(fd, &info) == 0 && info.st_size >= static_cast<off_t>(kHeaderSize) && info.st_size <= (1 << 20)) {
    size = static_cast<size_t>(info.st_size);
    bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  } else {
    errno = EPROTO;
  }
  int error = errno;
  close(fd);
  errno = error;
  if (bytes == MAP_FAILED) return nullptr;
  std::unique_ptr<StatePage> page(new StatePage(static_cast<const uint8_t *>(bytes), size));
  LeReader head({page->bytes_, size});
  if (head.u32() != kMagic || head.u32() != kVersion) {
    errno = EPROTO;
    return nullptr;
  }
  return page;
}

StatePage::~StatePage() { munmap(const_cast<uint8_t *>(bytes_), size_); }

bool StatePage::copy(std::vector<uint8_t> &page) const {
  // The fabric writes with pwrite, so what changes under this pointer is the page cache, not an object of the C++ program.
  const uint32_t &sequence = *reinterpret_cast<const uint32_t *>(bytes_ + kSequenceOffset);
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  page.resize(size_);
  for (;;) {
    uint32_t before = __atomic_load_n(&sequence, __ATOMIC_ACQUIRE);
    if ((before & 1) == 0) {
      memcpy(page.data(), bytes_, size_);
      orderLoads();
      if (__atomic_load_n(&sequence, __ATOMIC_RELAXED) == before) return true;
    }
    if (std::chrono::steady_clock::now() > deadline) return false;
    sched_yield();
  }
}

uint32_t StatePage::sequence() const {
  return __atomic_load_n(reinterpret_cast<const uint32_t *>(bytes_ + kSequenceOffset), __ATOMIC_ACQUIRE);
}

bool StatePage::read(HcaState &state) const {
  std::vector<uint8_t> page;
  return copy(page) && parsePage(page, state);
}

}  // namespace fabricsim
