/** What to print when the command line asks for nothing that can be done. */
export function usage(program: string): string {
  return `usage 1: ${program}
Ask the service for paths, counters and endpoints
   [-e [N]]         - list endpoint N (1, 2, ...), or all
   [-f addr_format] - how addresses are given: i(p), n(ame), l(id), g(id);
                      default: each one is looked at
   [-s src_addr]    - address of this host to start from; node[1-3] is a list
   [-d dest_addr]   - address to find a path to; node[1-3,5] is a list
   [-v]             - have the subnet administrator confirm each path
   [-c]             - take answers from the cache only
   [-P [opt]]       - counters of the service:
                        without opt: all together, in one row
                        col: all together, in one column
                        N: of endpoint N (1, 2, ...)
                        all: of every endpoint
                        s: of the endpoint that has the address of -s
   [-S svc_addr]    - the service: path of a socket, or a host;
                      default: the one of this host
   [-C repetitions] - ask for each path that often
usage 2: ${program}
Write configuration files for this host
   -A [addr_file]   - names of the endpoints (default is ibacm_addr.cfg)
   -O [opt_file]    - options of the service (default is ibacm_opts.cfg)
   -D dest_dir      - folder for the files (default is /etc/rdma)
   -V               - print what is done
`;
}
