import type {
  Clock,
  KernelRdsService,
  SocketBackend,
  SocketEvents,
  SocketTransport,
  TransportAddress,
} from "@verbena/core/sdk";
import { KernelSocket } from "./kernel-socket.js";

/** What the kernel's transport is made of. */
export interface KernelTransportOptions {
  readonly sockets: KernelRdsService;
  readonly clock: Clock;
  /** Buffer sizes beyond the system's limits (`net.core.wmem_max`, `rmem_max`), which needs CAP_NET_ADMIN. Default false. */
  readonly forceBuffers?: boolean;
}

/** RDS sockets of the kernel (AF_RDS): whatever carries them there, loopback, TCP or InfiniBand. */
export class KernelTransport implements SocketTransport {
  readonly kind = "sockets";
  readonly name = "kernel";

  constructor(private readonly options: KernelTransportOptions) {}

  /** Whether a socket of the kernel can be bound to the address; false without the kernel's module. */
  claims({ address, scopeId }: TransportAddress): boolean {
    try {
      using socket = this.options.sockets.open();
      socket.bind({ address, port: 0, scopeId });
      return true;
    } catch {
      return false;
    }
  }

  openSocket(events: SocketEvents): SocketBackend {
    const { sockets, clock, forceBuffers = false } = this.options;
    const socket = sockets.open();
    try {
      return new KernelSocket(socket, events, { clock, forceBuffers });
    } catch (error) {
      socket.close();
      throw error;
    }
  }
}
