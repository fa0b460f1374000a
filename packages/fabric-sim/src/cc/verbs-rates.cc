// libibverbs: rate codes against multiples of 2.5 Gb/s and against Mb/s.
#include <iterator>

#include "export.h"

namespace {

struct Rate {
  int code;
  int multiple;  // of 2.5 Gb/s, as verbs rounds it
  int mbps;
};

// Where two codes share a multiple, the first is the one that a multiple gives.
constexpr Rate kRates[] = {{2, 1, 2500},      {5, 2, 5000},       {3, 4, 10000},       {6, 8, 20000},      {4, 12, 30000},
                           {7, 16, 40000},    {8, 24, 60000},     {9, 32, 80000},      {10, 48, 120000},   {11, 5, 14062},
                           {12, 22, 56250},   {13, 45, 112500},   {14, 67, 168750},    {15, 10, 25781},    {16, 40, 103125},
                           {17, 80, 206250},  {18, 120, 309375},  {19, 11, 28125},     {20, 20, 53125},    {21, 160, 425000},
                           {22, 240, 637500}, {23, 320, 850000},  {24, 480, 1275000}};

template <typename Match>
const Rate *find(Match match) {
  for (const Rate &rate : kRates) {
    if (match(rate)) return &rate;
  }
  return nullptr;
}

}  // namespace

FABRICSIM_EXPORT int ibv_rate_to_mult(int code) {
  const Rate *rate = find([&](const Rate &r) { return r.code == code; });
  return rate == nullptr ? -1 : rate->multiple;
}

FABRICSIM_EXPORT int mult_to_ibv_rate(int multiple) {
  const Rate *rate = find([&](const Rate &r) { return r.multiple == multiple; });
  return rate == nullptr ? 0 : rate->code;
}

FABRICSIM_EXPORT int ibv_rate_to_mbps(int code) {
  const Rate *rate = find([&](const Rate &r) { return r.code == code; });
  return rate == nullptr ? -1 : rate->mbps;
}

FABRICSIM_EXPORT int mbps_to_ibv_rate(int mbps) {
  const Rate *rate = find([&](const Rate &r) { return r.mbps == mbps; });
  return rate == nullptr ? 0 : rate->code;
}
