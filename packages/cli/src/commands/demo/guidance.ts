import { basename, relative } from "node:path";
import { programPath } from "../../process/program-path.js";
import type { DemoCluster } from "./cluster.js";

/** How the program is called from here: installed, by its name; in a clone, by its file. */
function program(): string {
  const isInstalled = basename(process.argv[1] ?? "") === "verbena";
  return isInstalled ? "verbena" : `node ${relative(process.cwd(), programPath())}`;
}

/** Where to go from here. */
export function furtherSteps(): string {
  const verbena = program();
  return `How to go on
  a fabric of your own:
    ${verbena} sim topology two-level --hosts 16 > cluster.net
    ${verbena} sim run cluster.net --dir /tmp/fabric    # stays; the next in another terminal
    ${verbena} sim exec --dir /tmp/fabric --node H2 -- saquery    # infiniband-diags, or any program that uses libibumad
  real hardware, as root, in the place of ibacm (reads /etc/rdma/ibacm_opts.cfg and ibacm_addr.cfg):
    ${verbena} serve
    ${verbena} resolve NODE
  inside a Node.js program:
    import { createResolver } from "@verbena/core";
    const resolver = await createResolver();
    const { paths } = await resolver.resolve("node12");
    await resolver.close();
`;
}

/** What can be done with the cluster while it stays up. */
export function thingsToTry({ daemons: [first, last], fabric }: DemoCluster): string {
  const verbena = program();
  return `The cluster stays up. In another terminal:
  ${verbena} resolve ${last.name} --socket ${first.socket}
  ${verbena} endpoints --socket ${last.socket}
  ${verbena} cache ls --socket ${first.socket}
  ${verbena} acme -S ${first.socket} -f n -s ${first.name} -d 'node[2-8]' -v
  ${verbena} sim ctl --dir ${fabric} status
  ${verbena} sim ctl --dir ${fabric} link down ${last.node}

ready; Ctrl-C ends it
`;
}
