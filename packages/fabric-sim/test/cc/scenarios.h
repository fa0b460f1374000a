// The main function of a program of scenarios in one process: runs the one that is named, lists them otherwise.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace test {

using Scenarios = std::map<std::string, std::function<void()>>;

inline int runScenario(const Scenarios &scenarios, int count, char **words) {
  auto found = scenarios.find(count > 1 ? words[1] : "");
  if (found == scenarios.end()) {
    for (const auto &[name, run] : scenarios) puts(name.c_str());
    return 2;
  }
  found->second();
  puts("ok");
  return 0;
}

}  // namespace test
