import { classifySocket, readPassedDescriptors } from "./passed-descriptors.js";

// Numbers of the C library: families 1 unix, 2 IPv4, 10 IPv6, 16 netlink; types 1 stream, 2 datagram, 3 raw.
test.each([
  [{ family: 1, type: 1, protocol: 0, isListening: true }, "unix-stream-listener"],
  [{ family: 1, type: 1, protocol: 0, isListening: false }, "unknown"],
  [{ family: 1, type: 2, protocol: 0, isListening: false }, "unknown"],
  [{ family: 2, type: 1, protocol: 6, isListening: true }, "tcp-listener"],
  [{ family: 10, type: 1, protocol: 6, isListening: true }, "tcp-listener"],
  [{ family: 16, type: 3, protocol: 20, isListening: false }, "netlink-rdma"],
  [{ family: 16, type: 3, protocol: 0, isListening: false }, "unknown"],
  [undefined, "unknown"],
])("%j is %s", (socket, kind) => {
  expect(classifySocket(socket)).toBe(kind);
});

const netlink = { family: 16, type: 3, protocol: 20, isListening: false };
const unix = { family: 1, type: 1, protocol: 0, isListening: true };

test("each descriptor is judged by itself, in whatever order they come", () => {
  const env = { LISTEN_PID: "42", LISTEN_FDS: "2", LISTEN_FDNAMES: "ibacm.socket:unknown" };
  expect(readPassedDescriptors(env, 42, (fd) => (fd === 3 ? netlink : unix))).toEqual([
    { fd: 3, name: "ibacm.socket", kind: "netlink-rdma" },
    { fd: 4, name: "", kind: "unix-stream-listener" },
  ]);
});

test.each([
  ["another process", { LISTEN_PID: "41", LISTEN_FDS: "1" }],
  ["no process", { LISTEN_FDS: "1" }],
  ["no count", { LISTEN_PID: "42" }],
  ["a count that is none", { LISTEN_PID: "42", LISTEN_FDS: "x" }],
  ["a negative count", { LISTEN_PID: "42", LISTEN_FDS: "-1" }],
])("nothing is taken when the variables speak of %s", (_name, env) => {
  expect(readPassedDescriptors(env, 42, () => unix)).toEqual([]);
});
