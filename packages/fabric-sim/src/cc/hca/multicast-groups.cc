#include "hca/multicast-groups.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "hca/hca.h"
#include "hca/queue-pair.h"

namespace fabricsim {

namespace {

// Tells the fabric that this process has members in a group, or none any more. 0 or an errno value.
int tellMembership(Lock &lock, Hca &hca, attach::Type type, const RawGid &group) {
  LeWriter body;
  body.u32(hca.device().hcaIndex());
  for (uint8_t byte : group) body.u8(byte);
  return hca.device().client().call(lock, type, body.bytes());
}

// False if it was not a member.
bool remove(QueuePair &pair, const RawGid &group) {
  auto &groups = pair.hca().groups();
  auto found = groups.find(group);
  if (found == groups.end() || std::erase(found->second, &pair) == 0) return false;
  if (found->second.empty()) groups.erase(found);
  --pair.groupCount;
  return true;
}

}  // namespace

int joinGroup(Lock &lock, QueuePair &pair, const RawGid &group) {
  auto &groups = pair.hca().groups();
  if (!groups.contains(group) && groups.size() >= HcaLimits::kMulticastGroups) return ENOMEM;
  auto &members = groups[group];
  // Attaching twice is one attachment (IBA 11.3.1).
  if (std::find(members.begin(), members.end(), &pair) != members.end()) return 0;
  if (members.size() >= HcaLimits::kMulticastMembers) return ENOMEM;
  members.push_back(&pair);
  ++pair.groupCount;
  // After the entry here, so that what two threads do comes to the fabric in the order in which it was done.
  int error = tellMembership(lock, pair.hca(), attach::kAttachMulticast, group);
  if (error != 0) remove(pair, group);
  return error;
}

bool leaveGroup(Lock &lock, QueuePair &pair, const RawGid &group) {
  if (!remove(pair, group)) return false;
  // A fabric that does not answer has no members either.
  if (!pair.hca().groups().contains(group)) tellMembership(lock, pair.hca(), attach::kDetachMulticast, group);
  return true;
}

void leaveAllGroups(Lock &lock, QueuePair &pair) {
  // A list first: the lock is open in between.
  std::vector<RawGid> joined;
  for (const auto &[group, members] : pair.hca().groups()) {
    if (std::find(members.begin(), members.end(), &pair) != members.end()) joined.push_back(group);
  }
  for (const RawGid &group : joined) leaveGroup(lock, pair, group);
}

}  // namespace fabricsim
