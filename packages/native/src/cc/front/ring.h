#pragma once

#include <linux/io_uring.h>

#include <cstddef>
#include <cstdint>

namespace verbena::front {

// What has happened to an entry.
struct Completion {
  uint64_t data;
  int32_t result;
  uint32_t flags;
};

// An io_uring of one thread, with buffers from which the kernel takes one for each receive. All but the destructor is for the thread that has
// opened it.
class Ring {
 public:
  static constexpr unsigned kBuffers = 256;
  static constexpr size_t kBufferSize = 2048;
  static constexpr uint16_t kBufferGroup = 0;

  Ring() = default;
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // 0 or a positive errno: EPERM, EACCES or ENOSYS where the system refuses rings, EINVAL from a kernel before 6.1. Then it is of no use.
  int Open(const char** syscall);

  // The next entry to be submitted, empty. What is there is submitted first if there is no room.
  io_uring_sqe& Next();
  // Entries that have not been submitted.
  unsigned pending() const { return tail_ - submitted_; }
  // Submits them, nothing else: of those that cannot be waited for, the result is there when this returns.
  void Submit();
  // Submits, and waits until something has happened or so many milliseconds are over (-1 = never; 0 looks only).
  void Wait(int timeout_ms);
  // What has happened, in order. False: that is all.
  bool Take(Completion* out);

  const uint8_t* buffer(unsigned id) const { return memory_ + id * kBufferSize; }
  // The kernel may fill it again.
  void Return(unsigned id);

 private:
  int Map(const io_uring_params& params, const char** syscall);
  int ProvideBuffers(const char** syscall);
  int Try(const char** syscall);
  int Enter(unsigned submit, unsigned wait, unsigned flags, const void* argument, size_t size);

  int fd_ = -1;
  unsigned entries_ = 0;
  unsigned tail_ = 0;       // of the entries, ours
  unsigned submitted_ = 0;  // up to here the kernel has taken them
  uint16_t buffer_tail_ = 0;

  // Shared with the kernel.
  uint8_t* rings_ = nullptr;
  size_t rings_size_ = 0;
  io_uring_sqe* sqes_ = nullptr;
  size_t sqes_size_ = 0;
  io_uring_buf* buffers_ = nullptr;  // the first one's last field is the tail
  uint8_t* memory_ = nullptr;
  unsigned* sq_head_ = nullptr;
  unsigned* sq_tail_ = nullptr;
  unsigned sq_mask_ = 0;
  unsigned* cq_head_ = nullptr;
  unsigned* cq_tail_ = nullptr;
  unsigned cq_mask_ = 0;
  io_uring_cqe* cqes_ = nullptr;
};

}  // namespace verbena::front
