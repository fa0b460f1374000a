#include "wait-thread.h"

#include <errno.h>

#include <cstdlib>
#include <system_error>
#include <utility>

namespace verbena {

struct WaitThread::Waker {
  uv_async_s* handle = nullptr;
  WaitThread* owner = nullptr;  // NULL once the owner is gone
  std::shared_ptr<Teardown> teardown;

  uv_handle_s* base() const { return reinterpret_cast<uv_handle_s*>(handle); }

  static void OnWake(uv_async_s* handle) {
    auto* self = static_cast<Waker*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)));
    if (self->owner != nullptr) self->owner->OnWake();
  }

  static void OnClosed(uv_handle_s* handle) {
    auto* self = static_cast<Waker*>(uv_handle_get_data(handle));
    self->teardown->HandleClosed();
    std::free(self->handle);
    delete self;
  }
};

std::unique_ptr<WaitThread> WaitThread::Open(Environment& environment, Wait wait, OnReady on_ready, int* error) {
  auto* handle = static_cast<uv_async_s*>(std::calloc(1, uv_handle_size(kUvHandleAsync)));
  const int result = uv_async_init(environment.loop(), handle, Waker::OnWake);
  if (result < 0) {
    std::free(handle);
    *error = -result;
    return nullptr;
  }
  std::unique_ptr<WaitThread> self(new WaitThread());
  self->wait_ = std::move(wait);
  self->on_ready_ = std::move(on_ready);
  self->waker_ = new Waker{handle, self.get(), environment.teardown()};
  uv_handle_set_data(self->waker_->base(), self->waker_);
  self->waker_->teardown->HandleOpened();
  try {
    self->thread_ = std::thread([raw = self.get()] { raw->Run(); });
  } catch (const std::system_error& failure) {
    *error = failure.code().value();
    return nullptr;  // the destructor closes the waker
  }
  *error = 0;
  return self;
}

WaitThread::~WaitThread() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kEnded) state_ = State::kEnding;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  waker_->owner = nullptr;
  uv_close(waker_->base(), Waker::OnClosed);
}

void WaitThread::Resume() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kResting || error_ != 0) return;
    state_ = State::kWaiting;
  }
  changed_.notify_all();
}

void WaitThread::Pause() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kWaiting) state_ = State::kResting;
}

void WaitThread::End(std::function<void()> on_ended) {
  on_ended_ = std::move(on_ended);
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kEnded) state_ = State::kEnding;
  }
  changed_.notify_all();
}

void WaitThread::Run() {
  std::unique_lock lock(mutex_);
  while (state_ != State::kEnding) {
    if (state_ == State::kResting) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    int error = 0;
    const Result result = wait_(&error);
    lock.lock();
    // Paused or ended meanwhile: what is ready now will still be ready when the loop asks again.
    if (state_ != State::kWaiting || result == Result::kTimedOut) continue;
    state_ = State::kResting;
    is_ready_ = true;
    if (result == Result::kFailed) error_ = error != 0 ? error : EIO;
    uv_async_send(waker_->handle);
  }
  state_ = State::kEnded;
  uv_async_send(waker_->handle);
}

void WaitThread::OnWake() {
  bool is_ready = false;
  bool is_ended = false;
  int error = 0;
  {
    const std::lock_guard lock(mutex_);
    is_ready = std::exchange(is_ready_, false);
    is_ended = state_ == State::kEnded;
    error = error_;
  }
  if (is_ended) {
    // Taken out first: the call may destroy this object.
    if (auto on_ended = std::exchange(on_ended_, nullptr)) on_ended();
    return;
  }
  if (is_ready && on_ended_ == nullptr) {
    const OnReady on_ready = on_ready_;
    on_ready(error);
  }
}

}  // namespace verbena
