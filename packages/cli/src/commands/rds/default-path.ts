import { DEFAULT_SOCKET } from "../client/asked.js";

/** Where a daemon's RDS answers, unless it is configured otherwise. */
export const DEFAULT_ATTACH_PATH = `${DEFAULT_SOCKET}.rds`;
