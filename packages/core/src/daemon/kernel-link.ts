import type { PassedDescriptor } from "@verbena/native";
import type { AcmEdgeCounters } from "../acm/edge-counters.js";
import type { DaemonConfig } from "../config/daemon-config.js";
import type { NativeHost } from "../embed/native-host.js";
import type { ResolverEngine } from "../engine/contract.js";
import { KernelService, type KernelServiceStatus } from "../kernel/index.js";
import type { Clock, Logger } from "../sdk/services.js";

/** The daemon's side of the kernel's local service, whether there is one or not. */
export interface KernelLink {
  readonly status: KernelServiceStatus;
  /** Tells the kernel how long to wait, and tries again what was lost. */
  refresh(timeoutMs: number): void;
  close(): Promise<void>;
}

/** What {@link openKernelLink} needs. */
export interface KernelLinkParts {
  readonly host: NativeHost;
  readonly engine: ResolverEngine;
  readonly edge: AcmEdgeCounters;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Descriptors that the service manager handed over. */
  readonly passed?: readonly PassedDescriptor[] | undefined;
}

/**
 * Begins to answer the kernel, on the socket handed over or on one of its own. The kernel of this machine is not answered with paths of a
 * simulated fabric. Never throws: what does not work is logged and shown by the status.
 */
export function openKernelLink(
  config: Pick<DaemonConfig["daemon"], "kernelService" | "kernelTimeoutMs">,
  { host, engine, edge, clock, logger, passed = [] }: KernelLinkParts,
): KernelLink {
  const timeoutMs = config.kernelTimeoutMs;
  if (!config.kernelService) return noLink("daemon.kernelService is false", timeoutMs);
  if (host.isSimulated) return noLink("a node of a simulated fabric has no kernel of its own", timeoutMs);
  let handedOver = passed.find(({ kind }) => kind === "netlink-rdma")?.fd;
  const service = new KernelService({
    open: () => {
      const fd = handedOver;
      // Closed with the socket made of it: another one has to be opened after a loss.
      handedOver = undefined;
      return host.native.openRdmaNetlink(fd === undefined ? {} : { fd });
    },
    engine,
    edge,
    clock,
    logger,
    timeoutMs,
    pid: process.pid,
  });
  service.refresh();
  return service;
}

function noLink(reason: string, timeoutMs: number): KernelLink {
  return {
    status: { state: "off", reason, timeoutMs, requests: 0, failures: 0, overruns: 0 },
    refresh: () => undefined,
    close: () => Promise.resolve(),
  };
}
