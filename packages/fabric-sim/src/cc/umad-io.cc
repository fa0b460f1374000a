// libibumad: ports, agents, sending and receiving. A port id is the port's descriptor.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "export.h"
#include "process.h"
#include "umad-select.h"
#include "verbena/ibumad-abi.h"

using namespace fabricsim;

namespace {

constexpr uint32_t kOpenIbOui = 0x001405;

uint8_t queuePairOf(int managementClass) { return managementClass == 0x01 || managementClass == 0x81 ? 0 : 1; }

// Registers; the agent's number or a negative errno value.
int registerAgent(int portId, const AgentRequest &request) {
  Process &process = Process::get();
  Lock lock = process.lock();
  std::shared_ptr<UmadPort> port = process.umadPort(portId);
  if (process.isOrphan()) return -ENODEV;
  return port == nullptr ? -EBADF : port->addAgent(lock, request);
}

void copyMask(AgentRequest &request, const void *mask) {
  if (mask != nullptr) memcpy(request.methods, mask, sizeof request.methods);
}

// umad_register's convention: any failure is -EPERM, the reason is in errno.
int agentOrPermission(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -EPERM;
}

int waitReadable(int fd, int timeoutMs) {
  struct pollfd entry = {fd, POLLIN, 0};
  int n = poll(&entry, 1, timeoutMs);
  if (n == 1) return 0;
  return n == 0 ? -ETIMEDOUT : -EIO;
}

}  // namespace

FABRICSIM_EXPORT int umad_open_port(const char *caName, int portNumber) {
  Process &process = Process::get();
  Lock lock = process.lock();
  if (process.start() != 0) return -ENODEV;
  Device *device = selectUmadPort(process, caName, &portNumber);
  if (device == nullptr) return -ENODEV;
  HcaState state;
  if (!device->read(state) || portNumber <= 0 || state.port(static_cast<unsigned>(portNumber)) == nullptr) return -EINVAL;
  Bytes answer;
  LeWriter body;
  body.u32(device->hcaIndex()).u8(static_cast<uint8_t>(portNumber)).u8(0).u16(0);
  if (device->client().call(lock, attach::kOpenPort, body.bytes(), &answer) != 0) return -EIO;
  LeReader fields(answer);
  uint32_t handle = fields.u32();
  if (!fields.atEnd() || device->client().isLost()) return -EIO;
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) return -EIO;
  // A number that is still in the table was closed with close() behind our back; its port goes with it.
  auto stale = process.umadPorts().extract(fd);
  if (!stale.empty()) {
    stale.mapped()->device().client().send(attach::kClosePort, LeWriter().u32(stale.mapped()->handle()).bytes());
    stale.mapped()->abandon();
  }
  process.umadPorts()[fd] = std::make_shared<UmadPort>(process, *device, static_cast<unsigned>(portNumber), handle, fd);
  return fd;
}

FABRICSIM_EXPORT int umad_close_port(int portId) {
  Process &process = Process::get();
  Lock lock = process.lock();
  auto entry = process.umadPorts().extract(portId);
  if (entry.empty()) return 0;
  std::shared_ptr<UmadPort> port = entry.mapped();
  port->close();
  if (!process.isOrphan()) port->device().client().call(lock, attach::kClosePort, LeWriter().u32(port->handle()).bytes());
  return 0;
}

FABRICSIM_EXPORT int umad_get_fd(int portId) { return portId; }

FABRICSIM_EXPORT int umad_register(int portId, int managementClass, int version, uint8_t rmppVersion, long *methodMask) {
  AgentRequest request;
  request.qpn = queuePairOf(managementClass);
  request.managementClass = static_cast<uint8_t>(managementClass);
  request.classVersion = static_cast<uint8_t>(version);
  request.rmppVersion = rmppVersion;
  request.oui = kOpenIbOui;
  copyMask(request, methodMask);
  return agentOrPermission(registerAgent(portId, request));
}

FABRICSIM_EXPORT int umad_register_oui(int portId, int managementClass, uint8_t rmppVersion, uint8_t *oui, long *methodMask) {
  if (managementClass < 0x30 || managementClass > 0x4f) return -EINVAL;
  AgentRequest request;
  request.managementClass = static_cast<uint8_t>(managementClass);
  request.classVersion = 1;
  request.rmppVersion = rmppVersion;
  request.oui = static_cast<uint32_t>(oui[0] << 16 | oui[1] << 8 | oui[2]);
  copyMask(request, methodMask);
  return agentOrPermission(registerAgent(portId, request));
}

FABRICSIM_EXPORT int umad_register2(int portFd, vb_umad_reg_attr *attr, uint32_t *agentId) {
  if (attr == nullptr || agentId == nullptr) return EINVAL;
  bool hasOui = attr->mgmt_class >= 0x30 && attr->mgmt_class <= 0x4f;
  if (hasOui && ((attr->oui & 0xffffff) == 0 || (attr->oui & 0xff000000) != 0)) return EINVAL;
  if ((attr->flags & ~static_cast<uint32_t>(VB_UMAD_USER_RMPP)) != 0) {
    attr->flags = VB_UMAD_USER_RMPP;  // what there is
    return EINVAL;
  }
  AgentRequest request;
  request.qpn = queuePairOf(attr->mgmt_class);
  request.managementClass = attr->mgmt_class;
  request.classVersion = attr->mgmt_class_version;
  request.rmppVersion = attr->rmpp_version;
  request.oui = attr->oui;
  request.userRmpp = (attr->flags & VB_UMAD_USER_RMPP) != 0;
  copyMask(request, attr->method_mask);
  int result = registerAgent(portFd, request);
  if (result < 0) return -result;
  *agentId = static_cast<uint32_t>(result);
  return 0;
}

FABRICSIM_EXPORT int umad_unregister(int portId, int agentId) {
  Process &process = Process::get();
  Lock lock = process.lock();
  std::shared_ptr<UmadPort> port = process.umadPort(portId);
  int result = process.isOrphan() ? -ENODEV : port == nullptr ? -EBADF : port->removeAgent(lock, agentId);
  if (result == 0) return 0;
  errno = -result;
  return -1;
}

FABRICSIM_EXPORT int umad_send(int portId, int agentId, void *umad, int length, int timeoutMs, int retries) {
  auto *head = static_cast<vb_ib_user_mad *>(umad);
  head->timeout_ms = static_cast<uint32_t>(timeoutMs);
  head->retries = static_cast<uint32_t>(retries);
  head->agent_id = static_cast<uint32_t>(agentId);
  Process &process = Process::get();
  Lock lock = process.lock();
  std::shared_ptr<UmadPort> port = process.umadPort(portId);
  UmadAgent *agent = port == nullptr ? nullptr : port->agent(agentId);
  int result = -EINVAL;
  if (process.isOrphan()) {
    result = -ENODEV;
  } else if (port == nullptr) {
    result = -EBADF;
  } else if (agent != nullptr && length > 0) {
    result = agent->send(*head, {static_cast<const uint8_t *>(umad) + sizeof *head, static_cast<size_t>(length)});
  }
  errno = -result;
  return result == 0 ? 0 : -EIO;
}

FABRICSIM_EXPORT int umad_recv(int portId, void *umad, int *length, int timeoutMs) {
  errno = 0;
  if (umad == nullptr || length == nullptr || *length < 0) {
    errno = EINVAL;
    return -EINVAL;
  }
  if (timeoutMs != 0) {
    int result = waitReadable(portId, timeoutMs);
    if (result < 0) {
      if (errno == 0) errno = -result;
      return result;
    }
  }
  auto *head = static_cast<vb_ib_user_mad *>(umad);
  Process &process = Process::get();
  Lock lock = process.lock();
  std::shared_ptr<UmadPort> port = process.umadPort(portId);
  ssize_t n = port == nullptr ? -EBADF : port->pop(umad, sizeof *head + static_cast<size_t>(*length));
  if (n >= 0) {
    *length = static_cast<int>(static_cast<size_t>(n) - sizeof *head);
    return static_cast<int>(head->agent_id);
  }
  if (n == -ENOSPC) *length = static_cast<int>(head->length - sizeof *head);
  errno = static_cast<int>(-n);
  return static_cast<int>(n);
}

FABRICSIM_EXPORT int umad_poll(int portId, int timeoutMs) {
  errno = 0;
  return waitReadable(portId, timeoutMs);
}
