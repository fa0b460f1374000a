// Everything this process has of the fabric: the connection, the devices, the open ports and contexts, the progress thread.
// There is one, made at first use and never destroyed, since the progress thread outlives static destructors.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "attach-client.h"
#include "device.h"
#include "timer-queue.h"
#include "umad-port.h"

namespace fabricsim {

class VerbsContext;
class IssmFile;

class Process : private AttachEvents {
 public:
  static Process &get();

  // One lock for all. Everything below wants it held.
  Lock lock() { return Lock(mutex_); }

  // Attaches if that is not done or the fabric has gone since, by environment or as attachTo() said. 0 or an errno value; the reason
  // goes to stderr once.
  int attach();
  int attachTo(const std::string &directory, const std::string &nodes);
  // Attaches and sees that the progress thread runs: before anything is opened. 0 or an errno value.
  int start();
  // True in a child that was forked while something was open.
  bool isOrphan() const { return isOrphan_; }
  bool isAttached() const { return client_ != nullptr; }
  const std::string &directory() const { return directory_; }

  TimerQueue &timers() { return timers_; }
  // How long a time of the fabric lasts on this machine.
  Clock::duration scaled(Clock::duration time) const { return time / timeScale_; }
  // Call after arming a timer: wakes the progress thread if it would sleep too long.
  void timersChanged();

  std::deque<Device> &devices() { return devices_; }
  Device *device(const std::string &name);

  std::map<int, std::shared_ptr<UmadPort>> &umadPorts() { return umadPorts_; }
  std::shared_ptr<UmadPort> umadPort(int fd);
  void addAgent(uint32_t id, UmadAgent *agent) { agents_[id] = agent; }
  void removeAgent(uint32_t id, const UmadAgent *agent);

  std::vector<VerbsContext *> &contexts() { return contexts_; }
  std::vector<std::unique_ptr<IssmFile>> &issmFiles() { return issmFiles_; }
  void wake();

 private:
  Process() = default;
  int attachNow();
  void retireDevices();
  void runProgress();
  void onRoom();
  void onPacket(uint32_t agentId, ByteView packet) override;
  void onData(uint32_t hcaIndex, uint8_t port, ByteView packet) override;
  void onBatchEnd() override;
  void onAsyncEvent(uint32_t hcaIndex, uint8_t event, uint8_t port) override;
  void onLost() override;
  static void *progressMain(void *);
  static void beforeExit();
  static void beforeFork();
  static void afterForkInParent();
  static void afterForkInChild();

  std::mutex mutex_;
  bool hasForkHandlers_ = false;
  bool isOrphan_ = false;
  bool hasComplained_ = false;
  bool isRunning_ = false;
  std::string directory_;
  std::string nodes_;
  std::shared_ptr<AttachClient> client_;
  std::deque<Device> devices_;
  // Those of fabrics that have gone, and of a parent process.
  std::list<std::deque<Device>> retired_;
  // How many times faster the fabric's time runs: 1 to 3600.
  int timeScale_ = 1;
  TimerQueue timers_;
  int wakeFd_ = -1;
  Clock::time_point plannedWake_ = Clock::time_point::max();
  std::map<int, std::shared_ptr<UmadPort>> umadPorts_;
  std::unordered_map<uint32_t, UmadAgent *> agents_;
  std::vector<VerbsContext *> contexts_;
  std::vector<std::unique_ptr<IssmFile>> issmFiles_;
};

}  // namespace fabricsim
