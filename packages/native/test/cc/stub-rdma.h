#pragma once

// An asynchronous event at every open context of the stub's libibverbs.
void StubRaiseEvent(int type, int port);
