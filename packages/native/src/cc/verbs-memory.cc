#include "verbs-memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "arguments.h"
#include "pool-call.h"

namespace verbena {
namespace {

// Anonymous pages, given back with the last of the view of them and the registration: a view may be read after that, and a program may have
// moved or dropped the view (ArrayBuffer.prototype.transfer) while the device still has the pages.
class Pages {
 public:
  static std::shared_ptr<Pages> Map(size_t length, bool is_huge, int* error) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (is_huge ? MAP_HUGETLB : 0);
    void* address = mmap(nullptr, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (address != MAP_FAILED) return std::shared_ptr<Pages>(new Pages(address, length));
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

// Pinning pages takes time in proportion to their number. `pages`: of ours, or NULL.
Napi::Value RegisterOnPool(Napi::Env env, const std::shared_ptr<ProtectionDomain>& domain, Napi::Uint8Array view, std::shared_ptr<void> pages,
                           int access) {
  return CallOnPool<std::shared_ptr<Region>>(
      env, "ibv_reg_mr",
      [domain, address = view.Data(), length = view.ByteLength(), access](std::shared_ptr<Region>* region) {
        int error = 0;
        *region = Region::Create(domain, address, length, access, &error);
        return *region != nullptr ? 0 : error;
      },
      [held = Napi::Persistent(view.As<Napi::Object>()), pages = std::move(pages)](Napi::Env the_env, std::shared_ptr<Region>& region) mutable {
        const Napi::Value object = VerbsMemory::Wrap(the_env, std::move(region));
        if (object.IsObject()) Napi::ObjectWrap<VerbsMemory>::Unwrap(object.As<Napi::Object>())->Hold(std::move(held), std::move(pages));
        return object;
      });
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
  auto buffer = Napi::ArrayBuffer::New(env, address, size, [](Napi::Env, void*, std::shared_ptr<Pages>* gone) { delete gone; },
                                       new std::shared_ptr<Pages>(pages));
  if (env.IsExceptionPending()) return env.Undefined();
  return RegisterOnPool(env, domain, Napi::Uint8Array::New(env, size, buffer, 0), std::move(pages), access);
}

Napi::Value VerbsMemory::Register(const Napi::CallbackInfo& info, const std::shared_ptr<ProtectionDomain>& domain) {
  Napi::Env env = info.Env();
  int access = 0;
  if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array ||
      !ReadInt(info, 1, 0, INT32_MAX, &access)) {
    return ThrowArguments(env, "register(Uint8Array, access)");
  }
  return RegisterOnPool(env, domain, info[0].As<Napi::Uint8Array>(), nullptr, access);
}

void VerbsMemory::CloseNow() {
  if (object_ == nullptr) return;
  // Before the memory may go.
  object_->Release();
  object_.reset();
  view_.Reset();
  pages_.reset();
}

Napi::Value VerbsMemory::Close(const Napi::CallbackInfo& info) {
  if (object_ != nullptr) Environment::Of(info.Env()).Remove(this);
  vb_ibv_mr* retired = object_ != nullptr ? object_->Retire() : nullptr;
  auto deregister = [region = std::move(object_), retired]() mutable {
    if (region != nullptr) region->Deregister(retired);
    region.reset();
    return 0;
  };
  // The memory stays until it is not registered any more.
  return ChangeOnPool(info.Env(), "ibv_dereg_mr", std::move(deregister),
                      [view = std::move(view_), pages = std::move(pages_)]() mutable {
                        view.Reset();
                        pages.reset();
                      });
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
