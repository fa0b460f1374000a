// The scenarios; `isA`: which of the two programs this is.
#pragma once

void messages(bool isA);
void remoteMemory(bool isA);
void unreliable(bool isA);
void receiverNotReady(bool isA);
void refusals(bool isA);
void noAnswer(bool isA);
void survives(bool isA);
void fence(bool isA);
void abandoned(bool isA);
void halfReceived(bool isA);
void datagrams(bool isA);
void multicast(bool isA);
void partitions(bool isA);
void flood(bool isA);
