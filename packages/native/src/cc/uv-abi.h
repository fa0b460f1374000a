#pragma once

// The part of libuv's binary interface that the addon calls. Node exports these functions, but the header packages on npm do not carry
// uv.h and not every Node is installed with its headers. Handles are opaque and allocated by uv_handle_size(), so the one thing that
// must agree is a few constants, which libuv keeps stable for all of 1.x; test/cc/uv-abi-check.cc compares all of it where uv.h is found.

#include <cstddef>

#include "uv-constants.h"

extern "C" {

struct uv_loop_s;
struct uv_handle_s;
struct uv_poll_s;
struct uv_async_s;

typedef void (*vb_uv_close_cb)(uv_handle_s* handle);
typedef void (*vb_uv_poll_cb)(uv_poll_s* handle, int status, int events);
typedef void (*vb_uv_async_cb)(uv_async_s* handle);

#ifndef VERBENA_UV_ABI_CHECK  // the one declaration that differs in form: there the parameter is an enum
size_t uv_handle_size(int type);
#endif
void* uv_handle_get_data(const uv_handle_s* handle);
void uv_handle_set_data(uv_handle_s* handle, void* data);
void uv_close(uv_handle_s* handle, vb_uv_close_cb on_close);
void uv_ref(uv_handle_s* handle);
void uv_unref(uv_handle_s* handle);
int uv_poll_init(uv_loop_s* loop, uv_poll_s* handle, int fd);
int uv_poll_start(uv_poll_s* handle, int events, vb_uv_poll_cb on_ready);
int uv_poll_stop(uv_poll_s* handle);
int uv_async_init(uv_loop_s* loop, uv_async_s* handle, vb_uv_async_cb on_wake);
int uv_async_send(uv_async_s* handle);
}
