/** Programs of ibverbs-utils and perftest, unmodified, by `verbena sim exec`: what they see of the device, and what they send between two. */
import type { NodeStatus } from "@verbena/fabric-sim";
import { Gid } from "@verbena/ib";
import { Cluster } from "../../packages/cli/test/support/cluster.js";
import { run } from "../../packages/cli/test/support/run.js";
import { find, missing } from "./sim-programs.js";
import { missingNotice, nodeOf, runPair } from "./verbs-pair.js";

const TIMEOUT_MS = 120_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ hosts: 8 });
}, TIMEOUT_MS);
afterAll(() => cluster[Symbol.asyncDispose](), TIMEOUT_MS);

const titled = (title: string, reason: string | undefined): string =>
  reason === undefined ? title : `${title}: ${reason}`;

const lookers = missing("ibv_devices", "ibv_devinfo");
(lookers === undefined ? describe : describe.skip)(titled("a device as programs print it", lookers), () => {
  /** The HCA of node1 as the fabric knows it. */
  async function hca(): Promise<NodeStatus> {
    const { nodes } = await cluster.sim.request({ op: "status" });
    const found = nodes.find(({ id }) => id === "H1");
    if (found === undefined) throw new Error("the cluster has no H1");
    return found;
  }

  async function onNode1(program: string, ...args: readonly string[]): Promise<string> {
    const words = ["--dir", cluster.fabric, "--node", "node1", "--", find(program) ?? "", ...args];
    const { status, out, err } = await run(["sim", "exec", ...words]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    return out;
  }

  it(
    "ibv_devices lists it with its GUID",
    async () => {
      const lines = (await onNode1("ibv_devices")).trim().split("\n").slice(2);
      expect(lines.map((line) => line.trim().split(/\s+/))).toEqual([["sim0", (await hca()).guid.slice(2)]]);
    },
    TIMEOUT_MS,
  );

  it(
    "ibv_devinfo -v prints its limits and its port",
    async () => {
      const out = await onNode1("ibv_devinfo", "-v");
      const values = Object.fromEntries(
        [...out.matchAll(/^\s*([\w ]+):\s+(\S.*)$/gm)].map(([, name, value]) => [name, value]),
      );
      expect(values).toMatchObject({
        ...{ hca_id: "sim0", transport: "InfiniBand (0)", fw_ver: "1.0.0", vendor_id: "0x02c9", phys_port_cnt: "1" },
        ...{ max_mr_size: "0xffffffffffffffff", max_qp: "65536", max_qp_wr: "16384", max_sge: "32", max_cq: "65536" },
        ...{ max_cqe: "1048576", max_mr: "1048575", max_qp_rd_atom: "16", max_qp_init_rd_atom: "16", max_srq: "65536" },
        ...{ max_srq_wr: "16384", max_srq_sge: "32", max_mcast_grp: "8192", max_mcast_qp_attach: "1024", max_mw: "0" },
        ...{
          atomic_cap: "ATOMIC_HCA (1)",
          device_cap_flags: "0x00003c80",
          num_comp_vectors: "4",
          local_ca_ack_delay: "16",
        },
        ...{ "completion timestamp_mask": "0xffffffffffffffff", hca_core_clock: "1000000kHZ", max_wq_type_rq: "0" },
        ...{ max_msg_sz: "0x40000000", link_layer: "InfiniBand", max_vl_num: "8 (4)", port_lmc: "0x00" },
      });
      const port = (await hca()).ports[0];
      expect(values).toMatchObject({
        state: "PORT_ACTIVE (4)",
        phys_state: "LINK_UP (5)",
        port_lid: String(port?.lid),
      });
      expect(values).toMatchObject({
        active_width: "4X (2)",
        active_speed: "25.0 Gbps (32)",
        sm_lid: String(cluster.lid("H1")),
      });
      const gids = [...out.matchAll(/GID\[ *\d+\]:\s+([\da-f:]+)/g)].map(([, gid]) => Gid.format(Gid.parse(gid ?? "")));
      expect(gids).toEqual([cluster.gid("H1")]);
    },
    TIMEOUT_MS,
  );
});

/** Program and arguments of a command line. */
function words(line: string): readonly [string, readonly string[]] {
  const [program = "", ...args] = line.split(" ");
  return [program, args];
}

/** Both ends end well; their standard output, the server's first. */
async function pair(program: string, args: readonly string[], client = "node8"): Promise<readonly string[]> {
  const done = await runPair(program, args, {
    server: nodeOf(cluster.fabric, "node1"),
    client: nodeOf(cluster.fabric, client),
  });
  if (done.server.status !== 0 || done.client.status !== 0) {
    throw new Error(`${program} did not end well: ${JSON.stringify(done, undefined, 2)}`);
  }
  return [done.server.stdout, done.client.stdout];
}

describe("messages of ibverbs-utils: a thousand there and back", () => {
  const programs = ["ibv_rc_pingpong", "ibv_uc_pingpong", "ibv_ud_pingpong", "ibv_srq_pingpong"] as const;
  const reason = missing(...programs) ?? missingNotice();
  const each = reason === undefined ? it.each : it.skip.each;
  const whole = /^1000 iters in [\d.]+ seconds/m;

  // As they are, and with -e: verbs-pingpong.test.ts.
  each([
    // Sends built by calls; time stamps; device memory, with what arrives compared.
    "ibv_rc_pingpong -N",
    "ibv_rc_pingpong -t",
    "ibv_rc_pingpong -j -c",
  ])(
    titled("between two nodes, %s", reason),
    async (line) => {
      const [program, args] = words(line);
      for (const out of await pair(program, args)) expect(out).toMatch(whole);
    },
    TIMEOUT_MS,
  );

  each(programs)(
    titled("between two processes of one node, %s -e", reason),
    async (program) => {
      for (const out of await pair(program, ["-e"], "node1")) expect(out).toMatch(whole);
    },
    TIMEOUT_MS,
  );
});

describe("messages of perftest: a thousand", () => {
  const programs = ["ib_send_lat", "ib_send_bw", "ib_write_lat", "ib_write_bw", "ib_read_bw", "ib_atomic_bw"] as const;
  const reason = missing(...programs) ?? missingNotice();
  const each = reason === undefined ? it.each : it.skip.each;

  /** -F: whether the processor changes its clock is of no matter here. */
  async function measure(iterations: number, line: string, client?: string): Promise<void> {
    const [program, args] = words(line);
    const [, out] = await pair(program, ["-F", "-n", "1000", ...args], client);
    expect(out).toMatch(new RegExp(`^ \\d+ +${iterations} `, "m"));
  }

  each([
    ...["ib_send_lat", "ib_send_bw", "ib_write_bw"].flatMap((program) => [program, `${program} --use_old_post_send`]),
    ...[
      "ib_send_lat -c UD",
      "ib_send_bw -c UC -b",
      "ib_send_bw -e --use-srq",
      "ib_write_lat",
      "ib_read_bw",
      "ib_atomic_bw",
    ],
  ])(titled("between two nodes, %s", reason), (line) => measure(1000, line), TIMEOUT_MS);

  each(["ib_write_bw -q 4"])(
    titled("between two nodes, each of four queue pairs, %s", reason),
    (line) => measure(4000, line),
    TIMEOUT_MS,
  );

  each(["ib_send_bw", "ib_write_bw"])(
    titled("between two processes of one node, %s", reason),
    (line) => measure(1000, line, "node1"),
    TIMEOUT_MS,
  );
});
