// Network namespaces for the tests in test/vm: both ends of a connection in one process, since starting another is slow there.
//   enterNamespace(path): sockets that this thread opens from now on belong to the namespace. 0, or an errno.
#include <errno.h>
#include <fcntl.h>
#include <napi.h>
#include <sched.h>
#include <unistd.h>

namespace {

Napi::Value EnterNamespace(const Napi::CallbackInfo& info) {
  const std::string path = info[0].As<Napi::String>().Utf8Value();
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = fd >= 0 && setns(fd, CLONE_NEWNET) == 0 ? 0 : errno;
  if (fd >= 0) close(fd);
  return Napi::Number::New(info.Env(), error);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("enterNamespace", Napi::Function::New(env, EnterNamespace, "enterNamespace"));
  return exports;
}

}  // namespace

NODE_API_MODULE(enter_namespace, Init)
