import type { RdsSocket } from "../../src/index.js";
import type { TcpTransportOptions } from "../../src/tcp/tcp-options.js";
import { mapFrame, probeAnswer } from "./frames.js";
import { network, PORT, TcpNode } from "./rig.js";
import { type PeerConnection, ScriptedPeer } from "./scripted-peer.js";

/** Which of the two has the larger address. */
export type PeerRole = "smaller" | "larger";

/** A node with sockets on ports 2001 and 2002, connected with a scripted peer: maps exchanged, the node's probe answered. */
export interface Lane extends AsyncDisposable {
  readonly node: TcpNode;
  readonly peer: ScriptedPeer;
  /** The current connection. */
  readonly connection: PeerConnection;
  readonly s2001: RdsSocket;
  readonly s2002: RdsSocket;
  /** Sequence of the node's probe: its next message has the next one. */
  readonly probed: number;
  /** Connects once more, after the end of the connection. Sends the peer's map. */
  again(): Promise<PeerConnection>;
}

export async function lane(
  role: PeerRole,
  options: Partial<TcpTransportOptions> & { readonly s2002Buffer?: number } = {},
): Promise<Lane> {
  const at = network();
  const { s2002Buffer, ...transport } = options;
  const node = new TcpNode(at(5), transport);
  const peer = await ScriptedPeer.listen(at(role === "smaller" ? 2 : 9), PORT);
  const s2001 = await node.socket(2001, { sendBufferSize: 64 << 20 });
  const s2002 = await node.socket(2002, s2002Buffer === undefined ? {} : { receiveBufferSize: s2002Buffer });
  const again = async (): Promise<PeerConnection> => {
    const connection = role === "smaller" ? await peer.connect(node.address) : await peer.accept();
    await connection.send(mapFrame());
    return connection;
  };
  if (role === "larger") await peer.connect(node.address);
  const connection = await again();
  await connection.next();
  const { sequence } = await connection.next();
  await connection.send(probeAnswer(1));
  return {
    node,
    peer,
    connection,
    s2001,
    s2002,
    probed: Number(sequence),
    again,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}
