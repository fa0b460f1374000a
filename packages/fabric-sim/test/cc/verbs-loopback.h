// Scenarios that stand in verbs-loopback-objects.cc.
#pragma once

void states();
void regions();
void closedEarly();
void fabricGone();
