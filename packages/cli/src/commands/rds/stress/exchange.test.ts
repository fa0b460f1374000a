import { IpAddress } from "@verbena/ib";
import { Exchange, messageOf } from "./exchange.js";
import { HeaderForm, OP, pattern } from "./message.js";

const end = (port: number) => ({ address: IpAddress.parse("10.0.0.1"), port });
const rules = { depth: 2, requestBytes: 100, ackBytes: 63, pattern: undefined };

/** Two ends of one exchange, and messages between them. */
function ends(more: Partial<typeof rules> = {}) {
  const both = { ...rules, ...more };
  const [here, there] = [new Exchange(end(1), end(2), both), new Exchange(end(2), end(1), both)];
  const request = (from: Exchange, atUs = 0): Buffer => {
    const message = messageOf(both.requestBytes, both.pattern);
    from.writeRequest(message);
    from.requestSent(atUs);
    return message;
  };
  const ack = (from: Exchange): Buffer => {
    const message = messageOf(both.ackBytes, both.pattern);
    from.writeAck(message);
    from.ackSent();
    return message;
  };
  return { here, there, request, ack };
}

describe("an exchange", () => {
  it("has as many requests under way as its depth, and an ack makes room and tells the round trip", () => {
    const { here, there, request, ack } = ends();
    const messages = [request(here, 10), request(here, 20)];
    expect([here.mayRequest, here.pending]).toEqual([false, 2]);
    for (const message of messages) expect(there.receive(message, 0)).toEqual({ op: "request" });
    expect(here.receive(ack(there), 110)).toEqual({ op: "ack", rttUs: 100 });
    expect(here.receive(ack(there), 130)).toEqual({ op: "ack", rttUs: 110 });
    expect([here.mayRequest, here.pending, there.owesAck]).toEqual([true, 0, false]);
  });

  it("numbers requests and acks of one direction together", () => {
    const { here, there, request, ack } = ends();
    there.receive(request(here), 0);
    expect(request(there).readUInt32BE(0)).toBe(0);
    expect(ack(there).readUInt32BE(0)).toBe(1);
  });

  it.each([
    ["one of them is missing", 1, "seq is 1, not 0, index is 1, not 0"],
    ["one comes twice", 0, "seq is 0, not 1, index is 0, not 1"],
  ])("says so when %s", (_what, which, problem) => {
    const { here, there, request } = ends();
    const messages = [request(here), request(here)];
    if (which === 0) there.receive(messages[0] ?? Buffer.alloc(0), 0);
    expect(there.receive(messages[which] ?? Buffer.alloc(0), 0)).toBe(problem);
  });

  it("says so when a length, an op or a payload is another", () => {
    const { here, there, request } = ends({ pattern: pattern(37) as never });
    const message = request(here);
    expect(there.receive(message.subarray(0, 99), 0)).toBe("99 bytes came instead of 100");
    const odd = Buffer.from(message);
    odd[18] = 3;
    expect(there.receive(odd, 0)).toBe("unknown op 3");
    const broken = Buffer.from(message);
    broken[99] = (broken[99] ?? 0) ^ 0xff;
    expect(there.receive(broken, 0)).toBe("the payload is corrupted at offset 36; 1 bytes corrupted");
    expect(there.receive(message, 0)).toEqual({ op: "request" });
  });

  it("says so when an ack comes for no request, or more requests than the depth", () => {
    const [from, to] = [end(2), end(1)];
    const message = Buffer.alloc(63);
    new HeaderForm(from, to).write(message, { sequence: 0, index: 0, op: OP.ack });
    expect(ends().here.receive(message, 0)).toBe("an ack came for no request");
    const shallow = ends({ depth: 1 });
    const requests = [shallow.request(shallow.here), shallow.request(shallow.here)];
    shallow.there.receive(requests[0] ?? message, 0);
    expect(shallow.there.receive(requests[1] ?? message, 0)).toBe("more than 1 requests are under way");
  });
});
