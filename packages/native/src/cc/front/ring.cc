#include "front/ring.h"

#include <errno.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace verbena::front {
namespace {

constexpr unsigned kEntries = 512;
// Each client can have something happen at once; more than this waits in the kernel's own memory.
constexpr unsigned kCompletions = 4096;
constexpr size_t kBuffersSize = Ring::kBuffers * sizeof(io_uring_buf);

void* MapMemory(size_t size, int flags, int fd, off_t offset) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, offset);
  if (memory == MAP_FAILED) return nullptr;
  // The kernel goes on writing there: a child has no business with it.
  madvise(memory, size, MADV_DONTFORK);
  return memory;
}

unsigned Load(const unsigned* shared) { return __atomic_load_n(shared, __ATOMIC_ACQUIRE); }

template <typename T>
void Store(T* shared, T value) {
  __atomic_store_n(shared, value, __ATOMIC_RELEASE);
}

}  // namespace

Ring::~Ring() {
  if (fd_ >= 0) close(fd_);
  if (rings_ != nullptr) munmap(rings_, rings_size_);
  if (sqes_ != nullptr) munmap(sqes_, sqes_size_);
  if (buffers_ != nullptr) munmap(buffers_, kBuffersSize);
  if (memory_ != nullptr) munmap(memory_, kBuffers * kBufferSize);
}

int Ring::Open(const char** syscall) {
  io_uring_params params = {};
  // One thread submits, and what happens is noted only when it looks: no interrupts, no locks. That is what takes a kernel of 6.1.
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
  params.cq_entries = kCompletions;
  *syscall = "io_uring_setup";
  fd_ = static_cast<int>(::syscall(SYS_io_uring_setup, kEntries, &params));
  if (fd_ < 0) return errno;
  constexpr unsigned kNeeded = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_EXT_ARG;
  if ((params.features & kNeeded) != kNeeded) return EOPNOTSUPP;
  if (const int error = Map(params, syscall)) return error;
  if (const int error = ProvideBuffers(syscall)) return error;
  return Try(syscall);
}

// A filter may let a ring be made and not be used.
int Ring::Try(const char** syscall) {
  *syscall = "io_uring_enter";
  Next().opcode = IORING_OP_NOP;
  if (Enter(pending(), 0, 0, nullptr, 0) < 0) return errno;
  Completion done;
  return Take(&done) ? -done.result : EIO;
}

int Ring::Map(const io_uring_params& params, const char** syscall) {
  *syscall = "mmap";
  entries_ = params.sq_entries;
  rings_size_ = std::max(params.sq_off.array + params.sq_entries * sizeof(unsigned), params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe));
  rings_ = static_cast<uint8_t*>(MapMemory(rings_size_, MAP_SHARED | MAP_POPULATE, fd_, IORING_OFF_SQ_RING));
  if (rings_ == nullptr) return errno;
  sqes_size_ = params.sq_entries * sizeof(io_uring_sqe);
  sqes_ = static_cast<io_uring_sqe*>(MapMemory(sqes_size_, MAP_SHARED | MAP_POPULATE, fd_, IORING_OFF_SQES));
  if (sqes_ == nullptr) return errno;
  const auto word = [this](unsigned offset) { return reinterpret_cast<unsigned*>(rings_ + offset); };
  sq_head_ = word(params.sq_off.head);
  sq_tail_ = word(params.sq_off.tail);
  sq_mask_ = *word(params.sq_off.ring_mask);
  cq_head_ = word(params.cq_off.head);
  cq_tail_ = word(params.cq_off.tail);
  cq_mask_ = *word(params.cq_off.ring_mask);
  cqes_ = reinterpret_cast<io_uring_cqe*>(rings_ + params.cq_off.cqes);
  for (unsigned i = 0; i < entries_; i++) word(params.sq_off.array)[i] = i;
  return 0;
}

int Ring::ProvideBuffers(const char** syscall) {
  *syscall = "mmap";
  buffers_ = static_cast<io_uring_buf*>(MapMemory(kBuffersSize, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memory_ = static_cast<uint8_t*>(MapMemory(kBuffers * kBufferSize, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (buffers_ == nullptr || memory_ == nullptr) return errno;
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<uintptr_t>(buffers_);
  registration.ring_entries = kBuffers;
  registration.bgid = kBufferGroup;
  *syscall = "io_uring_register";
  if (::syscall(SYS_io_uring_register, fd_, IORING_REGISTER_PBUF_RING, &registration, 1) != 0) return errno;
  for (unsigned id = 0; id < kBuffers; id++) Return(id);
  return 0;
}

void Ring::Return(unsigned id) {
  io_uring_buf& buffer = buffers_[buffer_tail_ % kBuffers];
  buffer.addr = reinterpret_cast<uintptr_t>(memory_ + id * kBufferSize);
  buffer.len = kBufferSize;
  buffer.bid = static_cast<uint16_t>(id);
  // Not io_uring_buf_ring: compilers disagree with the kernel about its layout in C++.
  Store(&buffers_[0].resv, ++buffer_tail_);
}

io_uring_sqe& Ring::Next() {
  while (tail_ - Load(sq_head_) == entries_) Submit();
  io_uring_sqe& entry = sqes_[tail_++ & sq_mask_];
  std::memset(&entry, 0, sizeof entry);
  return entry;
}

void Ring::Submit() {
  while (pending() > 0) {
    if (Enter(pending(), 0, 0, nullptr, 0) >= 0 || errno == EINTR) continue;
    // The kernel is short of memory, or has too much that is not taken: let it finish some.
    Enter(0, 0, IORING_ENTER_GETEVENTS, nullptr, 0);
  }
}

void Ring::Wait(int timeout_ms) {
  if (timeout_ms < 0) {
    Enter(pending(), 1, IORING_ENTER_GETEVENTS, nullptr, 0);
    return;
  }
  __kernel_timespec timeout = {timeout_ms / 1000, static_cast<long long>(timeout_ms % 1000) * 1'000'000};
  io_uring_getevents_arg argument = {};
  argument.ts = reinterpret_cast<uintptr_t>(&timeout);
  Enter(pending(), timeout_ms == 0 ? 0 : 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
}

int Ring::Enter(unsigned submit, unsigned wait, unsigned flags, const void* argument, size_t size) {
  Store(sq_tail_, tail_);
  const auto taken = static_cast<int>(::syscall(SYS_io_uring_enter, fd_, submit, wait, flags, argument, size));
  // Where it waits in vain it has submitted all the same, and says so nowhere but here.
  submitted_ = Load(sq_head_);
  return taken;
}

bool Ring::Take(Completion* out) {
  const unsigned head = *cq_head_;
  if (head == Load(cq_tail_)) return false;
  const io_uring_cqe& entry = cqes_[head & cq_mask_];
  *out = {entry.user_data, entry.res, entry.flags};
  Store(cq_head_, head + 1);
  return true;
}

}  // namespace verbena::front
