// Compares our declarations of libuv with its own header: functions by declaring them twice, constants by value.
#include <uv.h>

#define VERBENA_UV_ABI_CHECK
#include "uv-abi.h"

static_assert(int{verbena::kUvHandleAsync} == int{UV_ASYNC});
static_assert(int{verbena::kUvHandlePoll} == int{UV_POLL});
static_assert(int{verbena::kUvReadable} == int{UV_READABLE});
static_assert(int{verbena::kUvWritable} == int{UV_WRITABLE});
static_assert(int{verbena::kUvPrioritized} == int{UV_PRIORITIZED});
