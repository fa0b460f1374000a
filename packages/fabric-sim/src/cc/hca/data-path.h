// The operations that programs reach through a context, and the counting of events that belong to an object.
#pragma once

#include "verbena/ibverbs-abi.h"

namespace fabricsim {

void setDataPath(vb_ibv_context_ops &ops);

// An asynchronous event about `object` was handed out; its destruction waits until it is acknowledged. Process lock held.
void countErrorTaken(int eventType, void *object);
// The same event is acknowledged. Process lock not held.
void acknowledgeError(int eventType, void *object);

// Waits until a program has acknowledged `taken` events of an object that is going away. Process lock not held.
template <typename Handle>
void awaitAcknowledged(Handle *handle, uint32_t Handle::*counter, uint32_t taken) {
  pthread_mutex_lock(&handle->mutex);
  while (handle->*counter != taken) pthread_cond_wait(&handle->cond, &handle->mutex);
  pthread_mutex_unlock(&handle->mutex);
}

template <typename Handle>
void acknowledge(Handle *handle, uint32_t Handle::*counter, uint32_t count) {
  pthread_mutex_lock(&handle->mutex);
  handle->*counter += count;
  pthread_cond_signal(&handle->cond);
  pthread_mutex_unlock(&handle->mutex);
}

}  // namespace fabricsim
