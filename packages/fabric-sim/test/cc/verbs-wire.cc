// Scenarios between queue pairs of two processes, each on a simulated node: `verbs-wire SCENARIO a|b`. Lines that begin with `>` go to the
// other one's standard input, lines that begin with `!` to whoever runs the fabric, who answers; each ends with `ok` or says what it expected.
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "verbs-wire.h"
#include "wire-peer.h"

namespace {

const std::map<std::string, std::function<void(bool)>> kScenarios = {
    {"messages", messages},     {"remote-memory", remoteMemory}, {"unreliable", unreliable},
    {"datagrams", datagrams},   {"multicast", multicast},        {"receiver-not-ready", receiverNotReady},
    {"refusals", refusals},     {"no-answer", noAnswer},         {"survives", survives},
    {"fence", fence},           {"abandoned", abandoned},        {"half-received", halfReceived},
    {"partitions", partitions}, {"flood", flood},
};

}  // namespace

int main(int argc, char **argv) {
  auto found = argc == 3 ? kScenarios.find(argv[1]) : kScenarios.end();
  if (found == kScenarios.end()) {
    fprintf(stderr, "usage: verbs-wire SCENARIO a|b\n");
    return 2;
  }
  found->second(strcmp(argv[2], "a") == 0);
  test::say("ok");
  return 0;
}
