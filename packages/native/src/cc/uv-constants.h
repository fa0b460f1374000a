#pragma once

namespace verbena {

// Of libuv's enums uv_handle_type and uv_poll_event.
enum { kUvHandleAsync = 1, kUvHandlePoll = 8 };
enum { kUvReadable = 1, kUvWritable = 2, kUvPrioritized = 8 };

}  // namespace verbena
