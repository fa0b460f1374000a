// One thread that posts a message with the time in it at intervals, for the two programs that wait for it: verbs-wake.cc and, through
// wake-poster-binding.cc, bench/verbs-wake.mjs. What they measure differs in who waits, and in nothing else.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <thread>

#include "verbs-library.h"

namespace verbena {

inline double NowUs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Processor time of one thread or of the process: RUSAGE_THREAD, RUSAGE_SELF.
inline double CpuUs(int who) {
  rusage usage;
  getrusage(who, &usage);
  const auto us = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec); };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// Brings a reliable queue pair of port 1 to RTS, towards `peer` at `lid`.
void Connect(const VerbsFunctions& fn, vb_ibv_qp* qp, uint32_t peer, uint16_t lid);

class WakePoster {
 public:
  // Ends the process if the device cannot be opened.
  explicit WakePoster(const std::string& library);
  ~WakePoster();
  WakePoster(const WakePoster&) = delete;
  WakePoster& operator=(const WakePoster&) = delete;

  uint32_t qpn() const { return qp_->qp_num; }
  // Connects to `peer` of the same port, which has `count` receives or posts them as it goes, and begins.
  void Start(uint32_t peer, int count, uint32_t interval_us);
  // Waits for the last message. Processor time of the thread in microseconds.
  double Join();

 private:
  void Run(int count, uint32_t interval_us);

  VerbsLibrary library_;
  vb_ibv_context* context_ = nullptr;
  vb_ibv_port_attr port_ = {};
  vb_ibv_pd* pd_ = nullptr;
  vb_ibv_cq* cq_ = nullptr;
  vb_ibv_qp* qp_ = nullptr;
  double time_ = 0;
  vb_ibv_mr* mr_ = nullptr;
  double cpu_us_ = 0;
  std::thread thread_;
};

}  // namespace verbena
