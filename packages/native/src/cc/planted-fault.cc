// Faults for the self-check of the sanitizer job, compiled only with VERBENA_PLANT. plantFault(kind) commits one on purpose.
#include <napi.h>

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>

namespace verbena {
namespace {

volatile int sink = 0;

void WriteBehindHeapBlock() {
  volatile std::size_t size = 16;  // unknown to the compiler, or UBSan's object-size check would get there before ASan
  auto* block = static_cast<volatile char*>(std::malloc(size));
  block[size] = 1;
  std::free(const_cast<char*>(block));
}

void LoseBlock() {
  auto* block = static_cast<volatile char*>(std::malloc(4096));
  block[0] = 1;
  block = nullptr;
}

void OverflowSignedInt() {
  volatile int big = INT_MAX;
  sink = big + 1;
}

void RaceOnInt() {
  static int shared = 0;
  std::thread other([] {
    for (int i = 0; i < 100000; i++) shared++;
  });
  for (int i = 0; i < 100000; i++) shared++;
  other.join();
  sink = shared;
}

}  // namespace

Napi::Value PlantFault(const Napi::CallbackInfo& info) {
  const std::string kind = info[0].ToString();
  if (kind == "heap") WriteBehindHeapBlock();
  if (kind == "leak") LoseBlock();
  if (kind == "undefined") OverflowSignedInt();
  if (kind == "race") RaceOnInt();
  return info.Env().Undefined();
}

}  // namespace verbena
