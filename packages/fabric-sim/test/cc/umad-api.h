/*
 * How the test programs reach umad and verbs. Built plainly, they link nothing and take the functions from the library named by
 * LIBFABRICSIM with dlvsym, as the addon does; with LINKED_LIBIBUMAD they are linked with the system's libraries, and get the
 * simulator by LD_PRELOAD, as other people's programs do.
 */
#ifndef UMAD_API_H
#define UMAD_API_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "verbena/ibumad-abi.h"
#include "verbena/ibverbs-abi.h"

#ifdef LINKED_LIBIBUMAD
#define DECLARE(name, version, result, arguments) extern result name arguments;
VB_IBUMAD_FUNCTIONS(DECLARE)
VB_IBVERBS_CONTROL_FUNCTIONS(DECLARE)
static inline void load_api(void) {}
static inline void *other_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }
#else
#define DECLARE(name, version, result, arguments) static vb_##name##_fn name;
VB_IBUMAD_FUNCTIONS(DECLARE)
VB_IBVERBS_CONTROL_FUNCTIONS(DECLARE)

static void *load_symbol(void *library, const char *name, const char *version) {
  void *symbol = dlvsym(library, name, version);
  if (symbol == NULL) {
    fprintf(stderr, "%s@%s: %s\n", name, version, dlerror());
    exit(2);
  }
  return symbol;
}

static void *api_library;
static inline void *other_symbol(const char *name) { return dlsym(api_library, name); }

static inline void load_api(void) {
  const char *path = getenv("LIBFABRICSIM");
  void *library = api_library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "LIBFABRICSIM: %s\n", path == NULL ? "not set" : dlerror());
    exit(2);
  }
#define LOAD(name, version, result, arguments) *(void **)(&name) = load_symbol(library, #name, version);
  VB_IBUMAD_FUNCTIONS(LOAD)
  VB_IBVERBS_CONTROL_FUNCTIONS(LOAD)
}
#endif

/* Ends the program with a message unless `condition` holds. */
#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

#endif
