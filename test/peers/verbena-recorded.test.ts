/**
 * `verbena serve` in the situations of the recorded vectors, with another of its kind and with Debian's ibacm: every message of the multicast
 * address protocol, and every join, is the recorded one but for its transaction id. What differs is in docs/multicast.md.
 */
import { ACM_TYPE } from "@verbena/ib";
import { AcmFabric } from "./acm-fabric.js";
import { acme } from "./acm-node.js";
import { type SentPacket, SentPackets } from "./acm-packets.js";
import { missingIbacm } from "./ibacm.js";
import {
  headers,
  isJoin,
  isResponse,
  RECORDED_NET,
  recorded,
  recordedAddresses,
  sent,
  TWO_GROUPS,
} from "./recorded-bytes.js";
import { missing } from "./sim-programs.js";

const TIMEOUT_MS = 60_000;
type Kind = "ibacm" | "verbena";

const FORMS = [
  ["ip4", "-f i -s 192.0.2.1 -d 192.0.2.2"],
  ["ip6", "-f i -s 2001:db8::1 -d 2001:db8::2"],
  ["name", "-f n -s node1 -d node2"],
] as const;
const PAIRS = [
  ["verbena", "verbena"],
  ["verbena", "ibacm"],
  ["ibacm", "verbena"],
] as const satisfies readonly (readonly [Kind, Kind])[];
/** Of an address that comes, twice each. */
const ANNOUNCEMENTS = 2 * recordedAddresses(1).length;
const DEST = [24, 88] as const;
const SOURCE = [88, 152] as const;

const SOURCE_TYPE_AT = 18;

const isFrom = (host: number) => (packet: SentPacket) => packet.port === `H${host}[1]`;
/** A request for the sender's own address. */
const isAnnouncement = ({ mad }: SentPacket): boolean => mad.subarray(...DEST).equals(mad.subarray(...SOURCE));

/** A repeated request with the own LID for its source, on a machine that is slow. */
const isByLid = ({ mad }: SentPacket): boolean => mad[SOURCE_TYPE_AT] === ACM_TYPE.LID;

const reason = missingIbacm() ?? missing("ib_acme");
const suite = reason === undefined ? describe : describe.skip;

suite.each(PAIRS)(`%s asks %s${reason === undefined ? "" : `: ${reason}`}`, (asker, asked) => {
  let fabric: AcmFabric;
  let acm: SentPackets;
  let sa: SentPackets;

  /** One after the other: the host that asks comes when the other's announcements are over, and must ask. */
  async function start(options: readonly string[]): Promise<void> {
    fabric = await AcmFabric.start(RECORDED_NET, "built-in");
    acm = await SentPackets.follow(fabric.dir, "ACM");
    sa = await SentPackets.follow(fabric.dir, "SA");
    for (const [host, kind] of [
      [2, asked],
      [1, asker],
    ] as const) {
      await fabric[kind](host, options, recordedAddresses(host));
      if (kind === "verbena") {
        await acm.until((packet) => isFrom(host)(packet) && isAnnouncement(packet), ANNOUNCEMENTS);
      }
    }
    await fabric.groupsReach(options.length === 0 ? 1 : 2);
  }
  async function stop(): Promise<void> {
    await acm[Symbol.asyncDispose]();
    await sa[Symbol.asyncDispose]();
    await fabric[Symbol.asyncDispose]();
  }

  /** All requests and responses that a question causes, announcements and requests by LID left out. */
  async function exchange(
    words: string,
  ): Promise<{ readonly requests: readonly SentPacket[]; readonly responses: readonly SentPacket[] }> {
    const before = acm.of(() => true).length;
    const answered = acm.of(isResponse).length;
    const { stdout } = await acme(fabric.node(1), ...words.split(" "));
    expect(stdout).toContain("return status 0x0");
    await acm.until(isResponse, answered + 1);
    const all = acm.of(() => true).slice(before);
    return {
      requests: all.filter((packet) => !isResponse(packet) && !isAnnouncement(packet) && !isByLid(packet)),
      responses: all.filter(isResponse),
    };
  }

  const joinsOf = (host: number): readonly SentPacket[] =>
    sa.of((packet) => isFrom(host)(packet) && isJoin(packet) && !isResponse(packet));

  describe("with default options", () => {
    beforeAll(() => start([]), TIMEOUT_MS);
    afterAll(stop, TIMEOUT_MS);

    it("it has joined the base group by the recorded message", () => {
      const [join, ...others] = joinsOf(1);
      expect(others).toEqual([]);
      expect(join && sent(join, "sa-join-request.mad")).toBe(recorded("sa-join-request.mad"));
    });

    it.each(FORMS)("for %s: request and response are the recorded ones", async (form, words) => {
      const { requests, responses } = await exchange(words);
      expect(new Set(requests.map((packet) => sent(packet, `acm-request-${form}`)))).toEqual(
        new Set([recorded(`acm-request-${form}`)]),
      );
      expect(new Set(responses.map((packet) => sent(packet, `acm-response-${form}`)))).toEqual(
        new Set([recorded(`acm-response-${form}`)]),
      );
      const same = { sl: 0, pkey: 0xffff, qkey: 0x8001_0000, tclass: 0, flowLabel: 0, hopLimit: 0 };
      const qpn = requests[0]?.deth?.srcQpn;
      for (const packet of requests) {
        expect(headers(packet)).toEqual({
          ...{ ...same, slid: 1, dlid: 0xc001, destQpn: 0xff_ffff, sgid: "fe80::10:1", dgid: "ff15:4001:ffff:3:400::" },
        });
      }
      for (const packet of responses) {
        expect(headers(packet)).toEqual({
          ...{ ...same, slid: 3, dlid: 1, destQpn: qpn, sgid: "fe80::10:3", dgid: "fe80::10:1" },
        });
      }
    });
  });

  describe("with two groups", () => {
    beforeAll(() => start(TWO_GROUPS), TIMEOUT_MS);
    afterAll(stop, TIMEOUT_MS);

    it("it has joined both by the recorded messages", () => {
      const ids = ["sa-join-request-low-group.mad", "sa-join-request-high-group.mad"];
      expect(joinsOf(1).map((packet) => sent(packet, ids[0] ?? ""))).toEqual(ids.map(recorded));
    });

    it("request and response are the recorded ones", async () => {
      const { requests, responses } = await exchange(FORMS[0][1]);
      expect(new Set(requests.map((packet) => sent(packet, "acm-request-two-groups")))).toEqual(
        new Set([recorded("acm-request-two-groups")]),
      );
      expect(new Set(responses.map((packet) => sent(packet, "acm-response-two-groups")))).toEqual(
        new Set([recorded("acm-response-two-groups")]),
      );
    });
  });
});
