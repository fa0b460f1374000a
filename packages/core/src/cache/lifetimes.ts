/**
 * How long a path is kept where nobody says otherwise, milliseconds: what there is to answer with while the SA is silent.
 */
export const DEFAULT_ROUTE_TTL_MS = 600_000;
/**
 * Age at which an address that is asked for is looked up again behind the answer, milliseconds. A name or IP that has moved to a host which does not
 * announce it is sought at its old place for so long.
 */
export const DEFAULT_ADDRESS_REFRESH_MS = 600_000;
/**
 * Age at which a path that is asked for is looked up again behind the answer, milliseconds. No notice tells of a LID that the SM changes on a port that
 * stays up, nor of another way through the fabric: this bounds how long the old path to a host in use is served.
 */
export const DEFAULT_ROUTE_REFRESH_MS = 60_000;
