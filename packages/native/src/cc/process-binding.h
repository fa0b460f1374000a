#pragma once

#include <napi.h>

namespace verbena {

// peerCredentials, describeSocket, sendDatagram, lockFile and attachFabric of src/binding.ts.
void DefineProcessFunctions(Napi::Env env, Napi::Object exports);

}  // namespace verbena
