#pragma once

#include <cstdio>
#include <cstdlib>

// The test program ends at the first check that fails.
#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
      std::exit(1);                                                             \
    }                                                                           \
  } while (false)

#define CHECK_EQ(actual, expected)                                                                                    \
  do {                                                                                                                \
    const long long actual_value = static_cast<long long>(actual);                                                    \
    const long long expected_value = static_cast<long long>(expected);                                                \
    if (actual_value != expected_value) {                                                                             \
      std::fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_value, expected_value); \
      std::exit(1);                                                                                                   \
    }                                                                                                                 \
  } while (false)
