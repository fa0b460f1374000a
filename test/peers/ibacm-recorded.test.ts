/**
 * Debian's ibacm on the simulated fabric in the situations of the recorded vectors: every message is the recorded one but for its
 * transaction id, those of the subnet administrator's answers too, whichever it is.
 */
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

const HOSTS = [1, 2, 3];

const MANAGERS = [
  ["built-in", missingIbacm()],
  ["opensm", missingIbacm() ?? missing("opensm")],
] as const;

const titled = (title: string, reason: string | undefined): string =>
  `messages of ibacm, ${title}${reason === undefined ? "" : `: ${reason}`}`;

for (const [manager, reason] of MANAGERS) {
  const suite = reason === undefined ? describe : describe.skip;
  let fabric: AcmFabric;
  let acm: SentPackets;
  let sa: SentPackets;

  async function start(options: readonly string[]): Promise<void> {
    fabric = await AcmFabric.start(RECORDED_NET, manager);
    acm = await SentPackets.follow(fabric.dir, "ACM");
    sa = await SentPackets.follow(fabric.dir, "SA");
    for (const host of HOSTS) await fabric.ibacm(host, options, recordedAddresses(host));
    await fabric.groupsReach(options.length === 0 ? 1 : 2);
  }
  async function stop(): Promise<void> {
    await acm[Symbol.asyncDispose]();
    await sa[Symbol.asyncDispose]();
    await fabric[Symbol.asyncDispose]();
  }
  const ask = (words: string) => acme(fabric.node(1), ...words.split(" "));
  const ofHost1 = (packet: SentPacket): boolean => packet.port === "H1[1]";

  /** Waits for the next request and response of two hosts after these, and gives them. */
  async function exchange(words: string): Promise<readonly [SentPacket, SentPacket]> {
    const before = acm.of(() => true).length;
    await ask(words);
    const [request, response] = (await acm.until(() => true, before + 2)).slice(before);
    if (request === undefined || response === undefined) throw new Error("no exchange");
    return [request, response];
  }

  suite(titled(`default options, subnet manager ${manager}`, reason), () => {
    beforeAll(() => start([]));
    afterAll(stop);

    it("join the base group by the recorded message, and get the recorded answer", async () => {
      const [request, response] = [await sa.until(isJoin), await sa.until(isResponse)].map(([first]) => first);
      expect(request && sent(request, "sa-join-request.mad")).toBe(recorded("sa-join-request.mad"));
      expect(response && sent(response, "sa-join-response.mad")).toBe(recorded("sa-join-response.mad"));
    });

    it.each([
      ["ip4", "-f i -s 192.0.2.1 -d 192.0.2.2"],
      ["ip6", "-f i -s 2001:db8::1 -d 2001:db8::2"],
      ["name", "-f n -s node1 -d node2"],
    ])("resolve %s by the recorded request and response", async (form, words) => {
      const [request, response] = await exchange(words);
      expect(sent(request, `acm-request-${form}`)).toBe(recorded(`acm-request-${form}`));
      expect(sent(response, `acm-response-${form}`)).toBe(recorded(`acm-response-${form}`));
      const same = { sl: 0, pkey: 0xffff, qkey: 0x8001_0000, tclass: 0, flowLabel: 0, hopLimit: 0 };
      expect(headers(request)).toEqual({
        ...{ ...same, slid: 1, dlid: 0xc001, destQpn: 0xff_ffff, sgid: "fe80::10:1", dgid: "ff15:4001:ffff:3:400::" },
      });
      expect(headers(response)).toEqual({
        ...{ ...same, slid: 3, dlid: 1, destQpn: request.deth?.srcQpn, sgid: "fe80::10:3", dgid: "fe80::10:1" },
      });
    });

    it("ask for the route of an address by the recorded query, and get the recorded answer", () => {
      const id = "sa-path-after-address-resolution.mad";
      const queries = sa.of((packet) => ofHost1(packet) && sent(packet, id) === recorded(id));
      expect(queries).toHaveLength(3);
      const answers = sa.of((packet) => sent(packet, "sa-path-response.mad") === recorded("sa-path-response.mad"));
      expect(answers).toHaveLength(3);
    });

    it.each([
      ["a LID", "-f l -d 3", "sa-path-by-lid.mad"],
      ["a GID", "-f g -d fe80::10:3", "sa-path-mask-202c.mad"],
    ])("ask for the path to %s by the recorded query", async (_what, words, id) => {
      await ask(words);
      await sa.until((packet) => sent(packet, id) === recorded(id));
    });

    it("get the recorded answer for the path to a GID that nobody has", async () => {
      const id = "sa-path-response-no-records.mad";
      expect((await ask("-f g -d fe80::99:5")).stdout).toContain("ib_acm_resolve_path failed: No data available");
      await sa.until((packet) => sent(packet, id) === recorded(id));
    });
  });

  suite(titled(`two groups, subnet manager ${manager}`, reason), () => {
    beforeAll(() => start(TWO_GROUPS));
    afterAll(stop);

    it("join both by the recorded messages", async () => {
      const [low, high] = await sa.until((packet) => isJoin(packet) && !isResponse(packet), 2);
      expect(low && sent(low, "sa-join-request-low-group.mad")).toBe(recorded("sa-join-request-low-group.mad"));
      expect(high && sent(high, "sa-join-request-high-group.mad")).toBe(recorded("sa-join-request-high-group.mad"));
    });

    it("list both in the recorded request, to the base group, and choose the better", async () => {
      const [request, response] = await exchange("-f i -s 192.0.2.1 -d 192.0.2.2");
      expect(sent(request, "acm-request-two-groups")).toBe(recorded("acm-request-two-groups"));
      expect(sent(response, "acm-response-two-groups")).toBe(recorded("acm-response-two-groups"));
      expect(headers(request)).toMatchObject({ dlid: 0xc001, dgid: "ff15:4001:ffff:2:300::" });
    });
  });
}

const [[, reason]] = MANAGERS;
(reason === undefined ? describe : describe.skip)(titled("a name that nobody has", reason), () => {
  it("is asked for three times by the same bytes", async () => {
    await using fabric = await AcmFabric.start(RECORDED_NET, "built-in");
    await using acm = await SentPackets.follow(fabric.dir, "ACM");
    for (const host of [1, 2]) await fabric.ibacm(host, ["timeout 100"], recordedAddresses(host));
    const { stdout } = await acme(fabric.node(1), ..."-f n -s node1 -d nobody".split(" "));
    expect(stdout).toContain("ib_acm_resolve_name failed: Connection timed out");
    const requests = await acm.until(() => true, 3);
    expect(new Set(requests.map(({ mad }) => mad.toString("hex"))).size).toBe(1);
  });
});
