#include "process.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hca/hca.h"
#include "hca/wire.h"
#include "issm-file.h"
#include "verbs-context.h"

namespace fabricsim {

namespace {

// What `sim run --time-scale` wrote; without the file the fabric has ordinary time.
int readTimeScale(const std::string &directory) {
  FILE *file = fopen((directory + "/time-scale").c_str(), "re");
  if (file == nullptr) return 1;
  int scale = 1;
  bool isRead = fscanf(file, "%d", &scale) == 1;
  fclose(file);
  return isRead && scale >= 1 && scale <= 3600 ? scale : 1;
}

}  // namespace

Process &Process::get() {
  static Process *const instance = new Process;
  return *instance;
}

int Process::attach() {
  if (isOrphan_) return ENODEV;
  if (client_ != nullptr && !isRunning_) client_->readReady(*this);  // no other reader would notice that the fabric has gone
  if (client_ != nullptr && !client_->isLost()) return 0;
  if (directory_.empty()) {
    const char *directory = getenv("FABRICSIM_DIR");
    const char *nodes = getenv("FABRICSIM_NODE");
    if (directory == nullptr || *directory == '\0') return ENODEV;
    directory_ = directory;
    nodes_ = nodes == nullptr ? "" : nodes;
  }
  return attachNow();
}

int Process::attachTo(const std::string &directory, const std::string &nodes) {
  if (isOrphan_) return ENODEV;
  bool isSame = directory == directory_ && nodes == nodes_;
  if (client_ != nullptr && !client_->isLost()) return isSame ? 0 : EBUSY;
  directory_ = directory;
  nodes_ = nodes;
  if (!isSame) hasComplained_ = false;
  return attachNow();
}

int Process::attachNow() {
  if (!hasForkHandlers_) {
    int error = pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    if (error != 0) return error;
    hasForkHandlers_ = true;
  }
  int error = 0;
  std::string problem;
  std::shared_ptr<AttachClient> client = AttachClient::attach(directory_, nodes_, error, problem);
  std::deque<Device> devices;
  if (client != nullptr) {
    for (const AttachClient::Hca &hca : client->hcas()) {
      auto page = StatePage::open(directory_ + "/" + hca.pageFile);
      if (page == nullptr) {
        error = errno;
        problem = "cannot map " + directory_ + "/" + hca.pageFile + ": " + strerror(error);
        break;
      }
      devices.emplace_back(static_cast<unsigned>(devices.size()), hca.index, std::move(page), client);
    }
  }
  if (error != 0) {
    if (!hasComplained_) fprintf(stderr, "fabricsim: %s\n", problem.c_str());
    hasComplained_ = true;
    return error;
  }
  timeScale_ = readTimeScale(directory_);
  retireDevices();
  client_ = std::move(client);
  devices_.swap(devices);
  hasComplained_ = false;
  wake();
  return 0;
}

void Process::retireDevices() {
  if (!devices_.empty()) retired_.push_back(std::move(devices_));
  devices_.clear();
}

void Process::removeAgent(uint32_t id, const UmadAgent *agent) {
  auto found = agents_.find(id);
  if (found != agents_.end() && found->second == agent) agents_.erase(found);
}

Device *Process::device(const std::string &name) {
  for (Device &candidate : devices_) {
    if (name == candidate.name()) return &candidate;
  }
  return nullptr;
}

std::shared_ptr<UmadPort> Process::umadPort(int fd) {
  auto found = umadPorts_.find(fd);
  return found == umadPorts_.end() ? nullptr : found->second;
}

void Process::onPacket(uint32_t agentId, ByteView packet) {
  auto found = agents_.find(agentId);
  if (found == agents_.end()) return;
  found->second->receivePacket(packet);
}

void Process::onData(uint32_t hcaIndex, uint8_t port, ByteView packet) {
  for (Device &device : devices_) {
    if (device.hcaIndex() == hcaIndex && device.hasHca()) device.hca().wire().receive(port, packet);
  }
}

void Process::onBatchEnd() {
  for (Device &device : devices_) {
    if (device.hasHca()) device.hca().wire().received();
  }
}

void Process::onRoom() {
  for (Device &device : devices_) {
    if (device.hasHca()) device.hca().wire().roomAgain();
  }
}

void Process::onAsyncEvent(uint32_t hcaIndex, uint8_t event, uint8_t port) {
  for (VerbsContext *context : contexts_) {
    if (&context->device().client() != client_.get()) continue;
    if (context->device().hcaIndex() == hcaIndex) context->pushEvent(event, port);
  }
}

void Process::onLost() {
  // The next fabric numbers its agents anew.
  agents_.clear();
  for (auto &[fd, port] : umadPorts_) {
    if (port->device().client().isLost()) port->markLost();
  }
  for (VerbsContext *context : contexts_) {
    if (&context->device().client() == client_.get()) context->pushEvent(VB_IBV_EVENT_DEVICE_FATAL, 0);
  }
  for (Device &device : devices_) device.onLost();
  // Last: what was under way has failed, and its events are there to be read.
  for (VerbsContext *context : contexts_) {
    if (&context->device().client() == client_.get()) context->hangUp();
  }
}

// What this process has sent is the wire's, as with a real HCA: the last acknowledgement counts also when the program ends behind it without
// having destroyed its queue pairs.
void Process::beforeExit() {
  constexpr time_t kSecondsForLock = 1;
  Process &process = get();
  // A program may end in a signal handler that has interrupted this library.
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kSecondsForLock;
  if (pthread_mutex_timedlock(process.mutex_.native_handle(), &until) != 0) return;
  Lock lock(process.mutex_, std::adopt_lock);
  if (process.isOrphan_ || process.client_ == nullptr) return;
  std::shared_ptr<AttachClient> client = process.client_;
  client->settle(lock);
}

void Process::beforeFork() { get().mutex_.lock(); }

void Process::afterForkInParent() { get().mutex_.unlock(); }

// A child shares the parent's connection but has no progress thread. If nothing was open yet it may attach anew; otherwise
// its handles are dead, as a program's verbs objects are after a fork.
void Process::afterForkInChild() {
  Process &process = get();
  if (process.isRunning_) {
    process.isOrphan_ = true;
  } else {
    if (process.client_ != nullptr) process.client_->abandon();
    process.client_.reset();
    process.retireDevices();
  }
  process.mutex_.unlock();
}

}  // namespace fabricsim
