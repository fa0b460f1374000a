import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Recorded: the first line of `ibv_ud_pingpong -g 0` of rdma-core 44. */
const RECORDED = "0001:000140:aa361e:fe800000000000000002c90300100001\0";

/** The result of an expression with what address.js exports, as JSON; in a process of its own, since the example is an ES module. */
async function evaluate(expression: string): Promise<unknown> {
  const module = JSON.stringify(join(__dirname, "../address.js"));
  const script = `const { fromLine, toLine, describe, wayTo, LINE_SIZE } = await import(${module});
    const recorded = ${JSON.stringify(RECORDED)};
    console.log(JSON.stringify(${expression}, (key, value) => typeof value === "bigint" ? value.toString(16) : value));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: join(__dirname, ".."),
  });
  return JSON.parse(stdout);
}

test("a line is LID, QPN, PSN and GID, with a zero byte", async () => {
  const gid = "fe800000000000000002c90300100001";
  expect(await evaluate("[fromLine(recorded), LINE_SIZE]")).toEqual([
    { lid: 1, qpn: 0x140, psn: 0xaa361e, gid },
    RECORDED.length,
  ]);
  expect(await evaluate("toLine(fromLine(recorded))")).toBe(RECORDED);
  expect(await evaluate("describe(fromLine(recorded))")).toBe(
    "LID 0x0001, QPN 0x000140, PSN 0xaa361e, GID fe80::2:c903:10:1",
  );
});

test("packets carry a GRH if the peer gave a GID", async () => {
  expect(await evaluate("wayTo(fromLine(recorded), { ibPort: 2, sl: 3, gidIndex: 4 })")).toEqual({
    port: 2,
    dlid: 1,
    sl: 3,
    grh: { dgid: "fe800000000000000002c90300100001", sgidIndex: 4, hopLimit: 1 },
  });
  expect(await evaluate("wayTo({ lid: 1, gid: 0n }, { ibPort: 2, sl: 3 })")).toEqual({ port: 2, dlid: 1, sl: 3 });
});

test.each(["", "done\0", RECORDED.slice(0, -1), RECORDED.replace("0001", "000g")])("%j is no address", async (line) => {
  await expect(evaluate(`fromLine(${JSON.stringify(line)})`)).rejects.toThrow("the peer sent no address");
});
