// Two programs that want to talk over verbs must first tell each other where they are: here, as those of ibverbs-utils do, over TCP.
//   client: its addresses; server: gets ready, then its own; client: "done".
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { fromLine, LINE_SIZE, toLine } from "./address.js";

const DONE = "done\0";

/** @typedef {AsyncIterator<Buffer>} Chunks what a socket receives */
/** @typedef {readonly import("./address.js").Address[]} Addresses */
/** @typedef {(remote: Addresses) => void} Ready */

/**
 * Exactly so many bytes. What comes is asked for in turn, so nothing of the next answer can be among them.
 * @param {Chunks} chunks
 * @param {number} size
 */
async function read(chunks, size) {
  let bytes = Buffer.alloc(0);
  while (bytes.length < size) {
    const { done, value } = await chunks.next();
    if (done) throw new Error(`the peer hung up: ${bytes.length} of ${size} bytes came`);
    bytes = Buffer.concat([bytes, value]);
  }
  return bytes.toString("latin1");
}

/** @type {(chunks: Chunks, count: number) => Promise<Addresses>} */
async function readAddresses(chunks, count) {
  const text = await read(chunks, count * LINE_SIZE);
  return Array.from({ length: count }, (_, i) => fromLine(text.slice(i * LINE_SIZE, (i + 1) * LINE_SIZE)));
}

/**
 * Listens; then waits for the one client.
 * @param {number} port
 * @returns {Promise<() => Promise<import("node:net").Socket>>}
 */
async function listen(port) {
  const server = createServer().listen(port);
  await once(server, "listening");
  const connection = once(server, "connection");
  return async () => {
    const [socket] = await connection;
    server.close();
    return socket;
  };
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<() => Promise<import("node:net").Socket>>}
 */
async function dial(host, port) {
  const socket = connect(port, host);
  await once(socket, "connect");
  return () => Promise.resolve(socket);
}

/** @typedef {(socket: import("node:net").Socket, chunks: Chunks, mine: Addresses, ready: Ready) => Promise<void>} Exchange */

/** @type {Exchange} */
async function serve(socket, chunks, mine, ready) {
  await ready(await readAddresses(chunks, mine.length));
  socket.write(mine.map(toLine).join(""));
  await read(chunks, DONE.length);
}

/** @type {Exchange} */
async function ask(socket, chunks, mine, ready) {
  socket.write(mine.map(toLine).join(""));
  await ready(await readAddresses(chunks, mine.length));
  socket.end(DONE);
  // The server answers by hanging up.
  await chunks.next();
}

/**
 * Opens the meeting point: a server listens from then on, a client is connected. What it resolves with exchanges the addresses of this end for
 * as many of the peer; `ready` is called with those, and awaited, before the peer may send.
 * @param {{ host: string | undefined, port: number }} where without a host this end is the server
 * @returns {Promise<(mine: Addresses, ready: Ready) => Promise<void>>}
 */
export async function openRendezvous({ host, port }) {
  const reach = await (host === undefined ? listen(port) : dial(host, port));
  const exchange = host === undefined ? serve : ask;
  return async (mine, ready) => {
    const socket = await reach();
    try {
      await exchange(socket, socket[Symbol.asyncIterator](), mine, ready);
    } finally {
      socket.destroy();
    }
  };
}
