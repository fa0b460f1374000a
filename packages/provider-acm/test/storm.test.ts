import type { Resolver } from "@verbena/core";
import { twoLevel } from "@verbena/fabric-sim";
import { eventually } from "./support/eventually.js";
import { TestFabric } from "./support/fabric.js";

jest.setTimeout(120_000);

const HOSTS = 40;
const ASKED = 5;
const config = { chains: { address: ["acm"], route: ["acm"] }, sa: { notices: false } };

it(`${String(HOSTS)} hosts in one base group, each asked for ${String(ASKED)} others at once: every answer is right`, async () => {
  await using fabric = await TestFabric.start({ topology: twoLevel({ hosts: HOSTS }) });
  const hosts: Resolver[] = [];
  const options = { config, withSa: false, acm: { announce: false, recvDepth: 256 } };
  for (let n = 1; n <= HOSTS; n++) hosts.push(await fabric.host(`H${String(n)}`, options));
  await eventually(() => expect(hosts.every((host) => host.endpoints()[0]?.state === "ready")).toBe(true));
  const { nodes } = await fabric.sim.request({ op: "status" });
  const lids = new Map(nodes.map(({ id, ports: [port] }) => [id, port?.lid]));
  const wanted = hosts.flatMap((host, i) =>
    Array.from({ length: ASKED }, (_, k) => [host, `H${String(((i + 1 + k * 7) % HOSTS) + 1)}`] as const),
  );
  const found = await Promise.all(wanted.map(async ([host, node]) => (await host.resolve(node)).paths[0]?.dlid));
  expect(found).toEqual(wanted.map(([, node]) => lids.get(node)));
});
