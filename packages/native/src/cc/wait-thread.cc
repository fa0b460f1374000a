#include "wait-thread.h"

#include <errno.h>

#include <system_error>
#include <utility>

namespace verbena {

std::unique_ptr<WaitThread> WaitThread::Open(Environment& environment, Wait wait, OnReady on_ready, int* error) {
  std::unique_ptr<WaitThread> self(new WaitThread());
  self->wait_ = std::move(wait);
  self->on_ready_ = std::move(on_ready);
  self->waker_ = LoopWaker::Open(environment, [raw = self.get()] { raw->OnWake(); }, error);
  if (self->waker_ == nullptr) return nullptr;
  try {
    self->thread_ = std::thread([raw = self.get()] { raw->Run(); });
  } catch (const std::system_error& failure) {
    *error = failure.code().value();
    return nullptr;
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
    waker_->Send();
  }
  state_ = State::kEnded;
  waker_->Send();
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
