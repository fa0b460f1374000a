import type { ServeOptions } from "../commands/daemon/serve.js";
import { EXIT } from "../exit-code.js";
import type { Io } from "../io.js";
import { parseIbacm } from "./parse-options.js";

/**
 * `ibacm`: the daemon with that program's command line. Without `-P` it goes to the background and this ends with 0 once the socket
 * answers. Says nothing on standard output but the usage; what happens is in the log. Gives the exit status: 1 for a wrong command
 * line or a start that failed, 2 for files with errors. `beside` says what the command line cannot (a run directory, a fabric).
 */
export async function runIbacm(words: readonly string[], io: Io, beside: ServeOptions = {}): Promise<number> {
  const parsed = parseIbacm(words);
  if ("complaint" in parsed) {
    io.err(`ibacm: ${parsed.complaint}\n`);
    io.out(USAGE);
    return EXIT.FAILED;
  }
  const { foreground, ...options } = parsed.options;
  const { serve } = await import("../commands/daemon/serve.js");
  return serve({ ...beside, ...options, background: !foreground }, { out: () => undefined, err: io.err });
}

const USAGE = `usage: ibacm
   [-D]             - run in the background (default)
   [-P]             - stay in the foreground
   [-A addr_file]   - names of the endpoints
                      (default is /etc/rdma/ibacm_addr.cfg)
   [-O opt_file]    - options of the service
                      (default is /etc/rdma/ibacm_opts.cfg)
   [--systemd]      - take the sockets of systemd and tell it when ready
`;
