/**
 * How long a path is kept where nobody says otherwise, milliseconds. No notice tells of a LID that the SM changes on a port that stays up, nor of
 * another way through the fabric: this bounds how long the old path is served.
 */
export const DEFAULT_ROUTE_TTL_MS = 600_000;
