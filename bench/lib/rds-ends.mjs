// One end of what bench/rds.mjs measures, each in a process of its own. Kinds: `tcp` and `loop` are RDS sockets, `net` a plain connection of node:net with the same framing. Roles: `echo` sends back what comes, `drive` keeps
// messages under way until all have come back, and prints the result.
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";

const require = createRequire(import.meta.url);
const HEADER = 48;

/** Of sorted times. */
const percentiles = (times) => {
  const at = (share) => times[Math.floor(times.length * share)];
  return { medianUs: at(0.5), p99Us: at(0.99) };
};

/**
 * Keeps `depth` messages under way on each of `sockets` until `count` have come back; returns messages/s, CPU µs per message of this process, the number of
 * messages, and median and 99th percentile of the times in µs (depth 1 alone). */
async function drive({ send, receive, sockets, depth, count, length }) {
  const payload = Buffer.alloc(length, 7);
  const times = [];
  const share = Math.floor(count / sockets);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const one = async (index) => {
    let sent = 0;
    let back = 0;
    let at = 0;
    while (back < share) {
      while (sent < share && sent - back < depth) {
        if (depth === 1) at = performance.now();
        const waiting = send(index, payload);
        if (waiting !== undefined) await waiting;
        sent += 1;
      }
      back += await receive(index);
      if (depth === 1) times.push((performance.now() - at) * 1000);
    }
  };
  await Promise.all(Array.from({ length: sockets }, (_, i) => one(i)));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const messages = share * sockets;
  return {
    rate: messages / seconds,
    cpuUs: (user + system) / messages,
    sent: messages,
    ...percentiles(times.sort((a, b) => a - b)),
  };
}

/** Both ends of every kind are warm before it is measured: what they are compiled to depends on how often they have run. */
const WARM_MS = 1000;

/** Warms up, says so, measures, prints the result, and ends the process. */
async function measure(ends) {
  const { depth, sockets } = ends;
  const warmFrom = performance.now();
  do {
    await drive({ ...ends, count: 20 * depth * sockets });
  } while (performance.now() - warmFrom < WARM_MS);
  console.log("warm");
  console.log(JSON.stringify(await drive(ends)));
  process.exit(0);
}

async function rdsStack(settings, address) {
  const { createHost } = require("@verbena/core");
  const { LoopTransport, RdsStack, TcpTransport } = require("@verbena/rds");
  const host = createHost();
  const transport =
    settings.kind === "loop"
      ? new LoopTransport()
      : new TcpTransport(host, { port: settings.port, addresses: [address] });
  return new RdsStack({ host, transports: [transport], loopbackCongestion: true });
}

async function bound(stack, settings, address, port) {
  const size = Math.max(212_992, 4 * settings.depth * settings.length);
  const socket = stack.createSocket({ sendBufferSize: size, receiveBufferSize: size });
  await socket.bind(address, port);
  return socket;
}

/** Sends back what comes to a socket, for ever. */
async function echo(socket, options) {
  for (;;) {
    const item = socket.tryReceive(options) ?? (await socket.receive(options));
    if (item.type === "message") {
      try {
        socket.trySend(item.data, { to: item.source });
      } catch {
        await socket.send(item.data, { to: item.source });
      }
    }
  }
}

async function rdsEnd(settings) {
  const stack = await rdsStack(settings, settings.role === "echo" ? settings.there : settings.here);
  const memory = () => (settings.isKept ? {} : { into: Buffer.alloc(settings.length) });
  const ports = Array.from({ length: settings.sockets }, (_, i) => 2000 + i);
  if (settings.role === "echo" || settings.kind === "loop") {
    for (const port of ports) {
      void echo(await bound(stack, settings, settings.there, port), memory()).catch(() => {});
    }
    if (settings.role === "echo") return void console.log("ready");
  }
  const sockets = [];
  for (const port of ports) {
    const socket = await bound(stack, settings, settings.here, port);
    socket.connect({ address: settings.there, port });
    sockets.push(socket);
  }
  const send = (index, payload) => {
    try {
      sockets[index].trySend(payload);
      return undefined;
    } catch {
      return sockets[index].send(payload);
    }
  };
  const options = memory();
  const receive = async (index) => {
    const socket = sockets[index];
    let count = 1;
    if (socket.tryReceive(options) === undefined) await socket.receive(options);
    while (socket.tryReceive(options) !== undefined) count += 1;
    return count;
  };
  await measure({ ...settings, send, receive });
}

/** Cuts a stream into frames, and hands on their payloads. */
function framer(onPayload) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEADER) {
      const end = at + HEADER + bytes.readUInt32BE(at + 16);
      if (end > bytes.length) break;
      onPayload(bytes.subarray(at + HEADER, end));
      at = end;
    }
    rest = bytes.subarray(at);
  };
}

/** Writes a framed message; all of one turn go out together. */
function framed(socket) {
  let isCorked = false;
  return (payload) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      queueMicrotask(() => {
        isCorked = false;
        socket.uncork();
      });
    }
    const header = Buffer.alloc(HEADER);
    header.writeUInt32BE(payload.length, 16);
    socket.write(header);
    return socket.write(payload);
  };
}

async function netEnd(settings) {
  if (settings.role === "echo") {
    const server = createServer((socket) => {
      socket.setNoDelay(true);
      const write = framed(socket);
      socket.on(
        "data",
        framer((payload) => write(payload)),
      );
      socket.on("error", () => {});
    });
    server.listen(settings.port, settings.there, () => console.log("ready"));
    return;
  }
  const socket = connect({ host: settings.there, port: settings.port, localAddress: settings.here });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.setNoDelay(true);
  let back = 0;
  let wake = () => {};
  const cut = framer(() => {
    back += 1;
  });
  socket.on("data", (chunk) => {
    cut(chunk);
    wake();
  });
  const write = framed(socket);
  const send = (_index, payload) => {
    write(payload);
    return undefined;
  };
  const receive = async () => {
    while (back === 0) await new Promise((resolve) => (wake = resolve));
    const count = back;
    back = 0;
    return count;
  };
  await measure({ ...settings, sockets: 1, send, receive });
}

/** Plays one end, to the end of the process. */
export async function playEnd(settings) {
  await (settings.kind === "net" ? netEnd(settings) : rdsEnd(settings));
}
