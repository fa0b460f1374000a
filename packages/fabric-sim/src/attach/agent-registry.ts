import type { MadPacketHead } from "./mad-packet.js";
import {
  isOuiClass,
  isRegistrableClass,
  isResponse,
  isRmppClass,
  isSubnetManagementClass,
} from "./management-class.js";
import type { RegisterAgent } from "./messages.js";
import { Errno } from "./protocol.js";

/** Class versions an agent may register; those above are kept for other architectures. */
const MAX_CLASS_VERSION = 0x83;
const METHOD_MASK = 0x7f;
const HIGHEST_AGENT_ID = 0xffff_ffff;

/** A MAD agent of some program on one port. `owner` is whoever gets its packets. */
export interface Agent<Owner> {
  /** High half of the transaction ids of what it sends; unique in the fabric, never 0. */
  readonly agentId: number;
  readonly hcaIndex: number;
  readonly portNumber: number;
  readonly owner: Owner;
}

/**
 * All MAD agents of a fabric, and the rule which of them gets an arriving MAD. Rules of registration and routing are those of
 * Linux' MAD layer: a response goes to the agent whose id stands in the high half of its transaction id, a request to the
 * one agent that registered its class, version and method (and OUI) on that port.
 */
export class AgentRegistry<Owner> {
  private readonly byId = new Map<number, Agent<Owner>>();
  private readonly byRoute = new Map<string, Agent<Owner>>();
  private readonly routesOf = new Map<number, readonly string[]>();
  private lastId = 0;

  /** @returns the agent, or a positive errno value: EINVAL as the kernel gives it, also when a method is already taken. */
  register(
    hcaIndex: number,
    portNumber: number,
    request: Omit<RegisterAgent, "portHandle">,
    owner: Owner,
  ): Agent<Owner> | number {
    if (!isAllowed(request)) return Errno.EINVAL;
    const routes = routesOf(hcaIndex, portNumber, request);
    if (routes.some((route) => this.byRoute.has(route))) return Errno.EINVAL;
    const agent = { agentId: this.nextId(), hcaIndex, portNumber, owner };
    this.byId.set(agent.agentId, agent);
    this.routesOf.set(agent.agentId, routes);
    for (const route of routes) this.byRoute.set(route, agent);
    return agent;
  }

  /** Removes an agent; its methods are free again. Unknown ids are ignored. */
  unregister(agentId: number): void {
    for (const route of this.routesOf.get(agentId) ?? []) this.byRoute.delete(route);
    this.routesOf.delete(agentId);
    this.byId.delete(agentId);
  }

  /** The agent that gets a MAD arriving at a port, if any does. */
  find(hcaIndex: number, portNumber: number, head: MadPacketHead): Agent<Owner> | undefined {
    if (isResponse(head.method, head.managementClass, head.attributeModifier)) {
      const agent = this.byId.get(head.tidHigh);
      return agent?.hcaIndex === hcaIndex && agent.portNumber === portNumber ? agent : undefined;
    }
    return this.byRoute.get(routeKey(hcaIndex, portNumber, head, head.method & METHOD_MASK));
  }

  /** Number of agents, for status output. */
  get size(): number {
    return this.byId.size;
  }

  private nextId(): number {
    do {
      this.lastId = this.lastId === HIGHEST_AGENT_ID ? 1 : this.lastId + 1;
    } while (this.byId.has(this.lastId));
    return this.lastId;
  }
}

function isAllowed({
  qpn,
  managementClass,
  classVersion,
  rmppVersion,
  oui,
}: Omit<RegisterAgent, "portHandle">): boolean {
  if (qpn > 1 || rmppVersion > 1) return false;
  if (managementClass === 0) return true;
  if (!isRegistrableClass(managementClass) || classVersion >= MAX_CLASS_VERSION) return false;
  if (isSubnetManagementClass(managementClass) !== (qpn === 0)) return false;
  if (isOuiClass(managementClass) && oui === 0) return false;
  return rmppVersion === 0 || isRmppClass(managementClass);
}

function routesOf(hcaIndex: number, portNumber: number, request: Omit<RegisterAgent, "portHandle">): readonly string[] {
  if (request.managementClass === 0) return [];
  const routes: string[] = [];
  for (let method = 0; method < 128; method += 1) {
    if ((request.methods >> BigInt(method)) & 1n) routes.push(routeKey(hcaIndex, portNumber, request, method));
  }
  return routes;
}

function routeKey(
  hcaIndex: number,
  portNumber: number,
  { managementClass, classVersion, oui }: Pick<MadPacketHead, "managementClass" | "classVersion" | "oui">,
  method: number,
): string {
  const vendor = isOuiClass(managementClass) ? oui : 0;
  return `${hcaIndex}/${portNumber}/${managementClass}/${classVersion}/${vendor}/${method}`;
}
