#include "fd-poller.h"

#include <cstdlib>
#include <utility>

namespace verbena {

struct FdPoller::Watch {
  uv_poll_s* handle = nullptr;
  OnReady on_ready;
  bool is_closing = false;
  std::shared_ptr<Teardown> teardown;

  uv_handle_s* base() const { return reinterpret_cast<uv_handle_s*>(handle); }

  static void OnPoll(uv_poll_s* handle, int status, int events) {
    auto* self = static_cast<Watch*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)));
    if (!self->is_closing) self->on_ready(status < 0 ? -status : 0, status < 0 ? 0 : events);
  }

  static void OnClosed(uv_handle_s* handle) {
    auto* self = static_cast<Watch*>(uv_handle_get_data(handle));
    self->teardown->HandleClosed();
    std::free(self->handle);
    delete self;
  }
};

std::unique_ptr<FdPoller> FdPoller::Open(Environment& environment, int fd, OnReady on_ready, int* error) {
  auto* handle = static_cast<uv_poll_s*>(std::calloc(1, uv_handle_size(kUvHandlePoll)));
  const int result = uv_poll_init(environment.loop(), handle, fd);
  if (result < 0) {
    std::free(handle);
    *error = -result;
    return nullptr;
  }
  auto* watch = new Watch{handle, std::move(on_ready), false, environment.teardown()};
  uv_handle_set_data(watch->base(), watch);
  watch->teardown->HandleOpened();
  *error = 0;
  return std::unique_ptr<FdPoller>(new FdPoller(watch));
}

FdPoller::~FdPoller() {
  watch_->is_closing = true;
  uv_close(watch_->base(), Watch::OnClosed);
}

int FdPoller::Start(int events) { return -uv_poll_start(watch_->handle, events, Watch::OnPoll); }

void FdPoller::Stop() { uv_poll_stop(watch_->handle); }

}  // namespace verbena
