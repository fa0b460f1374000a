import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { run } from "./rxe-device.js";

/** Built with the addon, since the machine has no time for compilers. */
const program = join(process.env["VERBENA_NATIVE_DIR"] ?? "", "rds-calls");

/** What the kernel says to calls that the library makes impossible. */
const rows = [
  ["A01", "other types of socket, another protocol", "ESOCKTNOSUPPORT ESOCKTNOSUPPORT ESOCKTNOSUPPORT"],
  ["A02", "listen, accept, shutdown, socketpair", "EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP"],
  ["A03", "names of a new socket: family 0, and none of a peer", "0 0 ENOTCONN"],
  ["A04", "bind to a short address, to another family", "EINVAL EINVAL"],
  ["A18", "transport 7, one of 8 bytes, transport 1", "EINVAL EINVAL ENOPROTOOPT"],
  ["B01", "connect to a short address, to family 0", "EINVAL EAFNOSUPPORT"],
  ["C03", "send to a short address, to another family", "EINVAL EINVAL"],
  ["C05", "MSG_NOSIGNAL, MSG_OOB, MSG_MORE, MSG_EOR", "EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP"],
  ["C06", "write on a connected socket", "EOPNOTSUPP"],
  ["C18", "sendmmsg of one message, of two", "1 EOPNOTSUPP"],
  ["D04", "receive out of band: 0 at once, and the message stays", "0 1"],
  ["F11", "a monitor mask whose low 32 bits are 0: 11 messages, and no notification", "0 11 EAGAIN"],
  ["F12", "asking for the monitor mask", "ENOPROTOOPT"],
  ["G02", "cancel with 0, 8 and 16 bytes", "EINVAL EINVAL 0"],
  ["H08", "counters and sockets without room, then with it", "ENOSPC 40 ENOSPC 28"],
  ["L05", "poll that begins after ENOBUFS wakes when the receiver drains", "11 1"],
  ["L06", "an epoll set that is older than ENOBUFS has no event", "11 0"],
  ["L08", "a change of a congestion map: readable with POLLWRBAND once", "201 0"],
] as const;

describe("AF_RDS of the kernel", () => {
  let answers: ReadonlyMap<string, string>;
  before(() => {
    run("ip", "link add rds0 type dummy");
    run("ip", "addr add 10.7.0.1/24 dev rds0");
    run("ip", "link set rds0 up");
    const text = execFileSync(program, ["127.0.0.1", "10.7.0.1"], { encoding: "utf8", timeout: 60_000 });
    answers = new Map(text.split("\n").map((line) => [line.slice(0, 3), line.slice(4)]));
  });
  after(() => {
    run("ip", "link del rds0");
  });

  for (const [id, what, expected] of rows) {
    test(`${id} ${what}`, () => {
      assert.equal(answers.get(id), expected);
    });
  }
});
