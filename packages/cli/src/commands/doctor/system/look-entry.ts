/**
 * The process that looks at files and libraries for `verbena doctor`: they may hang or crash here, and the doctor still has something
 * to say. Takes one order, sends its reports and ends.
 */
import { type NativeServices, openNative } from "@verbena/native";
import { lookAtConfig } from "./config.js";
import { lookAtHardware } from "./look-at-hardware.js";
import { type LookOrder, type LookReport, type LookSections, SECTIONS } from "./look-message.js";
import { problemOf } from "./problem.js";

process.once("message", (order: LookOrder) => {
  void run(order).finally(() => {
    process.disconnect();
  });
});

async function run({ sources, native, patienceMs }: LookOrder): Promise<void> {
  const look = lookAtConfig(sources, patience(patienceMs));
  await tell("config", look);
  const configured = await look.then(
    (config) => config.native,
    () => ({}),
  );
  let services: NativeServices;
  try {
    services = openNative({ ...configured, ...native });
  } catch (error) {
    await tellNoAddon(error);
    return;
  }
  await lookAtHardware(services, patienceMs, tell);
  await services.close();
}

/** What lies on a dead mount is given up, so that the rest can be looked at. */
function patience(ms: number): AbortSignal {
  const ending = new AbortController();
  const giveUp = (): void => {
    ending.abort(new Error(`a file of the configuration does not answer: no end after ${String(ms / 1000)} s`));
  };
  setTimeout(giveUp, ms).unref();
  return ending.signal;
}

/** Without the addon there is nothing more to see. */
async function tellNoAddon(error: unknown): Promise<void> {
  const { reason, hint = "" } = problemOf(error);
  const blocked = { available: false, reason: "the native addon is not loaded", hint: "" } as const;
  await tell(
    "libraries",
    Promise.resolve({ addon: { available: false, reason, hint }, verbs: blocked, umad: blocked }),
  );
  for (const section of SECTIONS) {
    if (section !== "config" && section !== "libraries") await tell(section, Promise.resolve([]));
  }
}

async function tell<K extends keyof LookSections>(section: K, value: Promise<LookSections[K]>): Promise<void> {
  try {
    await send({ section, value: await value } as LookReport);
  } catch (error) {
    const { reason, hint } = problemOf(error);
    await send({ section, error: { message: reason, ...(hint === undefined ? {} : { hint }) } });
  }
}

function send(report: LookReport): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(report, () => {
      resolve();
    });
  });
}
