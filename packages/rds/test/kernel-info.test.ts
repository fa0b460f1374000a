import { endianness } from "node:os";
import { congestionMask } from "../src/kernel/control.js";
import { readList } from "../src/kernel/info-lists.js";
import { recordedLists } from "./info-vectors.js";

// The recordings are of a little-endian machine.
const describeLittle = endianness() === "LE" ? describe : describe.skip;
const at = (address: string, port: number) => ({ address, port, scopeId: 0 });

function list<L extends Parameters<typeof readList>[0]>(file: "info-tcp.json" | "info-ib.json", name: string, as: L) {
  const recorded = recordedLists(file).get(name);
  if (recorded === undefined) throw new Error(`no recording of ${name}`);
  return readList(as, recorded.bytes, recorded.each, 4);
}

describeLittle("lists that a kernel gave", () => {
  test("counters: the 36 of all transports in their order, then those of the transport", () => {
    const counters = list("info-tcp.json", "RDS_INFO_COUNTERS", "counters");
    expect(counters.slice(0, 2).map(({ name }) => name)).toEqual(["conn_reset", "recv_drop_bad_checksum"]);
    expect(counters[35]).toEqual({ name: "send_stuck_rm", value: 0n });
    expect(counters[6]).toEqual({ name: "recv_delivered", value: 11n });
    expect(counters.find(({ name }) => name === "recv_bytes_added_to_sock")?.value).toBe(0x5724n);
    expect(counters.some(({ name }) => name === "ib_connect_raced")).toBe(true);
  });

  test("a connection: where the next message stands, and that it is up", () => {
    expect(list("info-tcp.json", "RDS_INFO_CONNECTIONS", "connections")).toEqual([
      {
        local: "10.0.0.1",
        remote: "10.0.0.2",
        transport: "tcp",
        nextTx: 4n,
        nextRx: 3n,
        isSending: false,
        isConnecting: false,
        isConnected: true,
        tos: 0,
      },
    ]);
  });

  test("queues: what was sent and not acknowledged, and what was not read", () => {
    const sent = list("info-ib.json", "RDS_INFO_RETRANS_MESSAGES", "retransmitQueue");
    expect(sent.map(({ sequence, length }) => [sequence, length])).toEqual([
      [5n, 4096],
      [6n, 4096],
      [7n, 4096],
      [8n, 4],
      [9n, 5],
    ]);
    expect(list("info-ib.json", "RDS_INFO_RECV_MESSAGES", "receiveQueue")).toEqual([
      { sequence: 8n, length: 4, local: at("10.0.1.2", 4002), remote: at("10.0.1.1", 4001), tos: 0 },
    ]);
    expect(list("info-tcp.json", "RDS_INFO_SEND_MESSAGES", "sendQueue")).toEqual([]);
  });

  test("sockets, with their limits in payload bytes", () => {
    expect(list("info-tcp.json", "RDS_INFO_SOCKETS", "sockets")).toEqual([
      {
        sendBufferSize: 106_496,
        receiveBufferSize: 106_496,
        bound: at("10.0.0.1", 4001),
        connected: undefined,
        inode: 0x2c2dn,
      },
    ]);
    expect(list("info-ib.json", "RDS_INFO_SOCKETS", "sockets")[2]).toMatchObject({
      bound: at("10.0.1.2", 5000),
      receiveBufferSize: 8192,
    });
  });

  test("TCP connections with the positions of their streams", () => {
    const sockets = list("info-tcp.json", "RDS_INFO_TCP_SOCKETS", "tcpSockets");
    expect(sockets).toHaveLength(8);
    expect(sockets[0]).toEqual({
      local: "10.0.0.1",
      localPort: 0x8f4b,
      remote: "10.0.0.2",
      remotePort: 16_385,
      headerRemaining: 48n,
      dataRemaining: 0n,
      lastSentNext: 0x218e1d6d,
      lastExpectedUna: 0x218e3d9d,
      lastSeenUna: 0x218e3d9d,
      tos: 0,
    });
  });

  test("the congestion notification of port 5000: bit 5000 mod 64", () => {
    const recorded = recordedLists("info-tcp.json").get("cmsg RDS_CMSG_CONG_UPDATE, port 5000 was freed");
    const data = recorded?.bytes ?? Buffer.alloc(0);
    expect(congestionMask([{ level: 276, type: 5, data }])).toBe(1n << 8n);
  });
});

test("the IPv6 form has longer addresses, IPv4 ones mapped", () => {
  const mapped = (last: string) => `00000000000000000000ffff0a0000${last}`;
  const head = "0100000000000000" + "0200000000000000";
  const bytes = Buffer.from(
    `${head}${mapped("01")}${mapped("02")}${Buffer.from("tcp").toString("hex").padEnd(32, "0")}06`,
    "hex",
  );
  expect(bytes).toHaveLength(65);
  expect(readList("connections", bytes, 65, 16)).toMatchObject([
    { local: "10.0.0.1", remote: "10.0.0.2", transport: "tcp", isConnecting: true, isConnected: true, tos: 0 },
  ]);
});

test("entries of a newer kernel that are longer, and a last one that is cut, do not disturb the others", () => {
  const counter = Buffer.concat([Buffer.from("send_pong".padEnd(32, "\0")), Buffer.alloc(8), Buffer.alloc(4)]);
  expect(readList("counters", Buffer.concat([counter, counter, counter.subarray(0, 40)]), 44, 4)).toEqual([
    { name: "send_pong", value: 0n },
    { name: "send_pong", value: 0n },
  ]);
  expect(readList("connections", Buffer.alloc(0), 0, 16)).toEqual([]);
});
