#include "verbs-memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "arguments.h"

namespace verbena {
namespace {

// Anonymous pages, given back with the last view of them: a view outlives the registration.
class Pages {
 public:
  static std::unique_ptr<Pages> Map(size_t length, bool is_huge, int* error) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (is_huge ? MAP_HUGETLB : 0);
    void* address = mmap(nullptr, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (address != MAP_FAILED) return std::unique_ptr<Pages>(new Pages(address, length));
    *error = errno;
    return nullptr;
  }
  ~Pages() { munmap(address_, length_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* address() const { return address_; }

 private:
  Pages(void* address, size_t length) : address_(address), length_(length) {}
  void* const address_;
  const size_t length_;
};

// The size of a huge page that MAP_HUGETLB means here, as the kernel wants lengths to be multiples of it.
constexpr size_t kHugePage = size_t{2} << 20;

size_t RoundUp(size_t length, size_t unit) { return (length + unit - 1) / unit * unit; }

// Pins the pages on the thread pool: that takes time in proportion to their number.
class Registration : public Napi::AsyncWorker {
 public:
  Registration(Napi::Env env, std::shared_ptr<ProtectionDomain> domain, Napi::Uint8Array view, int access)
      : AsyncWorker(env, "verbena:register"),
        deferred_(Napi::Promise::Deferred::New(env)),
        domain_(std::move(domain)),
        view_(Napi::Persistent(view.As<Napi::Object>())),
        address_(view.Data()),
        length_(view.ByteLength()),
        access_(access) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override { region_ = Region::Create(domain_, address_, length_, access_, &error_); }

  void OnOK() override {
    Napi::HandleScope scope(Env());
    if (region_ == nullptr) {
      deferred_.Reject(SystemError(Env(), error_, "ibv_reg_mr").Value());
      return;
    }
    const Napi::Value object = VerbsMemory::Wrap(Env(), std::move(region_));
    if (!object.IsObject()) return;  // the environment is being terminated
    Napi::ObjectWrap<VerbsMemory>::Unwrap(object.As<Napi::Object>())->Hold(view_.Value());
    deferred_.Resolve(object);
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::shared_ptr<ProtectionDomain> domain_;
  Napi::ObjectReference view_;
  void* const address_;
  const size_t length_;
  const int access_;
  int error_ = 0;
  std::shared_ptr<Region> region_;
};

Napi::Value Queue(Napi::Env env, const std::shared_ptr<ProtectionDomain>& domain, Napi::Uint8Array view, int access) {
  auto* registration = new Registration(env, domain, view, access);  // deletes itself
  const Napi::Promise promise = registration->promise();
  registration->Queue();
  return promise;
}

}  // namespace

Napi::Function VerbsMemory::Define(Napi::Env env) {
  return DefineClass(env, "MemoryRegionBinding",
                     {InstanceMethod("memory", &VerbsMemory::Memory), InstanceMethod("describe", &VerbsMemory::Describe),
                      InstanceMethod("close", &VerbsMemory::Close)});
}

Napi::Value VerbsMemory::Allocate(const Napi::CallbackInfo& info, const std::shared_ptr<ProtectionDomain>& domain) {
  Napi::Env env = info.Env();
  int access = 0;
  const double length = info[0].IsNumber() ? info[0].As<Napi::Number>().DoubleValue() : 0;
  // As large as a typed array can be.
  if (!(length >= 1 && length <= 0x1'0000'0000) || length != std::floor(length) || !ReadInt(info, 1, 0, INT32_MAX, &access) ||
      !info[2].IsBoolean()) {
    return ThrowArguments(env, "allocate(length, access, hugePages)");
  }
  const bool is_huge = info[2].As<Napi::Boolean>().Value();
  const auto size = static_cast<size_t>(length);
  const auto unit = is_huge ? kHugePage : static_cast<size_t>(sysconf(_SC_PAGESIZE));
  int error = 0;
  auto pages = Pages::Map(RoundUp(size, unit), is_huge, &error);
  if (pages == nullptr) return Throw(SystemError(env, error, "mmap"));
  void* address = pages->address();
  auto buffer = Napi::ArrayBuffer::New(env, address, size, [](Napi::Env, void*, Pages* gone) { delete gone; }, pages.release());
  if (env.IsExceptionPending()) return env.Undefined();
  return Queue(env, domain, Napi::Uint8Array::New(env, size, buffer, 0), access);
}

Napi::Value VerbsMemory::Register(const Napi::CallbackInfo& info, const std::shared_ptr<ProtectionDomain>& domain) {
  Napi::Env env = info.Env();
  int access = 0;
  if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array ||
      !ReadInt(info, 1, 0, INT32_MAX, &access)) {
    return ThrowArguments(env, "register(Uint8Array, access)");
  }
  return Queue(env, domain, info[0].As<Napi::Uint8Array>(), access);
}

void VerbsMemory::CloseNow() {
  if (object_ == nullptr) return;
  // Before the memory may go.
  object_->Release();
  object_.reset();
  view_.Reset();
}

Napi::Value VerbsMemory::Memory(const Napi::CallbackInfo& info) {
  if (object_ == nullptr || view_.IsEmpty()) return ThrowClosed(info.Env());
  return view_.Value();
}

Napi::Value VerbsMemory::Describe(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  if (object_ == nullptr) return ThrowClosed(env);
  Napi::Object out = Napi::Object::New(env);
  out.Set("id", object_->id);
  out.Set("lkey", object_->mr->lkey);
  out.Set("rkey", object_->mr->rkey);
  out.Set("address", Napi::BigInt::New(env, uint64_t{reinterpret_cast<uintptr_t>(object_->mr->addr)}));
  return out;
}

}  // namespace verbena
