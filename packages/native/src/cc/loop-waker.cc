#include "loop-waker.h"

#include <cstdlib>
#include <utility>

namespace verbena {

struct LoopWaker::Handle {
  uv_async_s* handle = nullptr;
  std::function<void()> on_wake;  // empty once the owner is gone
  std::shared_ptr<Teardown> teardown;

  uv_handle_s* base() const { return reinterpret_cast<uv_handle_s*>(handle); }

  static void OnWake(uv_async_s* handle) {
    auto* self = static_cast<Handle*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)));
    const std::function<void()> on_wake = self->on_wake;  // it may destroy the owner
    if (on_wake) on_wake();
  }

  static void OnClosed(uv_handle_s* handle) {
    auto* self = static_cast<Handle*>(uv_handle_get_data(handle));
    self->teardown->HandleClosed();
    std::free(self->handle);
    delete self;
  }
};

std::unique_ptr<LoopWaker> LoopWaker::Open(Environment& environment, std::function<void()> on_wake, int* error) {
  auto* handle = static_cast<uv_async_s*>(std::calloc(1, uv_handle_size(kUvHandleAsync)));
  const int result = uv_async_init(environment.loop(), handle, Handle::OnWake);
  *error = result < 0 ? -result : 0;
  if (result < 0) {
    std::free(handle);
    return nullptr;
  }
  auto* self = new Handle{handle, std::move(on_wake), environment.teardown()};
  uv_handle_set_data(self->base(), self);
  self->teardown->HandleOpened();
  return std::unique_ptr<LoopWaker>(new LoopWaker(self));
}

LoopWaker::~LoopWaker() {
  handle_->on_wake = nullptr;
  uv_close(handle_->base(), Handle::OnClosed);
}

void LoopWaker::Send() const { uv_async_send(handle_->handle); }

}  // namespace verbena
