import type { HostedRds, RdsHostingServices } from "@verbena/core";

/** Hosts RDS sockets of other processes in the daemon. Loads what that takes when it is asked for. */
export async function hostRds(services: RdsHostingServices): Promise<HostedRds> {
  const { transports, addresses, maxSockets, maxBufferSize, ...host } = services;
  const { RdsStack } = await import("@verbena/rds");
  const stack = new RdsStack({ host, transports });
  const server = stack.serve({ maxSockets, maxBufferSize, ...(addresses === undefined ? {} : { addresses }) });
  return {
    get socketCount() {
      return server.sockets.length;
    },
    accept: (connection) => {
      server.accept(connection);
    },
    close: () => stack.close(),
  };
}
