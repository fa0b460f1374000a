// Marks a function that programs find: C linkage, visible, and under the version that fabricsim.map gives it.
#pragma once

#define FABRICSIM_EXPORT extern "C" __attribute__((visibility("default")))
