// libibverbs: what the simulator does not offer yet. Programs start and are told so; nothing pretends to work.
#include <cerrno>
#include <cstddef>

#include "export.h"
#include "none.h"
#include "verbena/ibverbs-abi.h"

using namespace fabricsim;

// X(name, what comes back): objects that cannot be made, operations that fail with an errno value.
#define MAKES_NOTHING(name) \
  FABRICSIM_EXPORT void *name() { return none<void>(EOPNOTSUPP); }
#define FAILS(name) \
  FABRICSIM_EXPORT int name() { return EOPNOTSUPP; }
#define DOES_NOTHING(name) \
  FABRICSIM_EXPORT void name() {}

MAKES_NOTHING(ibv_reg_dmabuf_mr)
MAKES_NOTHING(ibv_import_device)
MAKES_NOTHING(ibv_import_pd)
MAKES_NOTHING(ibv_import_mr)
MAKES_NOTHING(ibv_import_dm)

FAILS(ibv_resolve_eth_l2_from_gid)
FAILS(ibv_set_ece)
FAILS(ibv_query_ece)

DOES_NOTHING(ibv_unimport_pd)
DOES_NOTHING(ibv_unimport_mr)
DOES_NOTHING(ibv_unimport_dm)

FABRICSIM_EXPORT int ibv_query_qp_data_in_order(vb_ibv_qp *, int, uint32_t) { return 0; }

// Nothing here is memory that a device writes, so a fork needs no preparation. 2: unneeded.
FABRICSIM_EXPORT int ibv_fork_init(void) { return 0; }
FABRICSIM_EXPORT int ibv_is_fork_initialized(void) { return 2; }
FABRICSIM_EXPORT int ibv_dontfork_range(void *, size_t) { return 0; }
FABRICSIM_EXPORT int ibv_dofork_range(void *, size_t) { return 0; }
