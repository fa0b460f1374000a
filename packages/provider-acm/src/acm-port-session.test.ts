import type { Context, Endpoint, EndpointServices, Logger, PortServices, SaService } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { PKey } from "@verbena/ib";
import { PORT } from "../test/support/parts.js";
import { AcmPortSession } from "./acm-port-session.js";
import { optionsSchema } from "./options.js";

const none = (): void => undefined;
const logger: Logger = { debug: none, info: none, warn: none, error: none, child: () => logger };
const ENDPOINT: Endpoint = { key: "sim0/1/0xffff", port: PORT, pkey: PKey.DEFAULT, pkeyIndex: 0, addresses: [] };

/** A port whose device makes nothing and whose SA is silent. */
async function openPort() {
  const sa: SaService = { query: () => new Promise(none) };
  const rdma = {
    createProtectionDomain: () => Promise.reject(new Error("no memory")),
  } as unknown as Context;
  const services: PortServices = {
    sa,
    rdma,
    umad: {} as PortServices["umad"],
    memberships: { hold: () => none, leaving: () => undefined },
    logger,
  };
  const host = { clock: new VirtualClock(), random: () => 0.5, metrics: { increment: none, observe: none } };
  const validated = await optionsSchema["~standard"].validate({});
  if (validated.issues !== undefined) throw new Error("the defaults are wrong");
  return new AcmPortSession(PORT, services, host, validated.value, () => false, none);
}

const services: EndpointServices = { learn: none, doubt: none, observe: none, logger };

describe("a port", () => {
  it("tells its endpoints what happens, until they are closed", async () => {
    const port = await openPort();
    const [first, second] = await Promise.all([1, 2].map(() => port.openEndpoint(ENDPOINT, services)));
    const heard = [first, second].map((session) => jest.spyOn(session as unknown as { onEvent(): void }, "onEvent"));
    port.onEvent({ type: "sm-change", port: PORT });
    await first![Symbol.asyncDispose]();
    port.onEvent({ type: "sm-change", port: PORT });
    expect(heard.map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
    await second![Symbol.asyncDispose]();
    await port[Symbol.asyncDispose]();
  });
});
