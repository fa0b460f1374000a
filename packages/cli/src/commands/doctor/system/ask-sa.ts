import { saPkeyIndex } from "@verbena/core";
import { decodeSaMad, encodeSaMad, GSI_QKEY, Lid, MadMethod, MgmtClass, PKey, SaAttribute } from "@verbena/ib";
import type { UmadAgent, UmadService } from "@verbena/native";
import type { PortSeen, SaSeen } from "../probe.js";
import { problemOf } from "./problem.js";

/** One ClassPortInfo query to the SA of a port, with one repeat. */
export async function askSa(umad: UmadService, port: PortSeen, patienceMs: number): Promise<SaSeen> {
  let start = performance.now();
  const about = (): Pick<SaSeen, "device" | "port" | "tookMs"> => ({
    device: port.device,
    port: port.port,
    tookMs: performance.now() - start,
  });
  try {
    await using opened = umad.openPort(port.device, port.port);
    await using agent = opened.registerAgent({ mgmtClass: MgmtClass.SUBN_ADM, classVersion: 2, rmppVersion: 1 });
    start = performance.now();
    const status = await ask(agent, port, patienceMs);
    if (status === undefined) return { ...about(), outcome: "silent" };
    return status === 0 ? { ...about(), outcome: "answered" } : { ...about(), outcome: "refused", status };
  } catch (error) {
    return { ...about(), outcome: "problem", problem: problemOf(error) };
  }
}

/** MAD status of the answer; `undefined` when there is none in time. */
async function ask(agent: UmadAgent, port: PortSeen, patienceMs: number): Promise<number | undefined> {
  const tid = process.pid;
  const mad = encodeSaMad({
    method: MadMethod.GET,
    tid: BigInt(tid),
    attributeId: SaAttribute.CLASS_PORT_INFO,
  });
  const pkeyIndex = saPkeyIndex(port.pkeys.map((pkey) => PKey.from(pkey)));
  const to = { lid: Lid.from(port.smLid), qpn: 1, qkey: GSI_QKEY, sl: port.smSl, pkeyIndex };
  agent.send(mad, { to, timeoutMs: Math.ceil(patienceMs / 2), retries: 1 });
  // Not every library gives an unanswered request back.
  const timer = setTimeout(() => void agent.close(), patienceMs);
  try {
    for await (const { status, mad: answer } of agent.messages()) {
      if (answer.length < 16 || answer.readUInt32BE(12) !== tid) continue;
      return status === 0 ? decodeSaMad(answer).status : undefined;
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
