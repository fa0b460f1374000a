import type { SaQuery } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { acmMgid, encodeMcMemberRecord, Gid, MadStatus, Mtu, PKey, Rate, SaAttribute } from "@verbena/ib";
import { BASE, granted, LOW, PORT } from "../../test/support/parts.js";
import { optionsSchema } from "../options.js";
import { planGroups } from "./group-plan.js";
import { GroupSurvey } from "./group-survey.js";

const FAST = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.from(7), mtu: Mtu.MTU_4096 });
const FASTER = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.from(16), mtu: Mtu.MTU_4096 });
const ELSEWHERE = acmMgid({ pkey: PKey.from(0x8001), rate: Rate.from(7), mtu: Mtu.MTU_4096 });

async function rig(known: readonly Gid[], options: object = {}) {
  const clock = new VirtualClock();
  const queries: SaQuery[] = [];
  const warnings: string[] = [];
  const none = (): void => undefined;
  const logger = {
    debug: none,
    info: none,
    error: none,
    warn: (text: string) => warnings.push(text),
    child: () => logger,
  };
  const validated = await optionsSchema["~standard"].validate(options);
  if (validated.issues !== undefined) throw new Error("wrong options");
  const sees = [...known];
  const survey = new GroupSurvey({
    plan: planGroups(validated.value, { pkey: PKey.from(0x7fff), port: PORT }),
    sa: {
      query: (query) => {
        queries.push(query);
        if (sees.length === 0) return Promise.resolve({ status: MadStatus.SA_NO_RECORDS, records: [] });
        return Promise.resolve({ status: 0, records: sees.map((mgid) => encodeMcMemberRecord(granted(mgid))) });
      },
    },
    clock,
    random: () => 0.5,
    logger,
  });
  survey.start();
  await clock.advance(5_000);
  const shown = () => survey.status().map(({ mgid, role, state, problem }) => [mgid, role, state, problem]);
  return { clock, queries, warnings, sees, survey, shown };
}

const BELOW =
  "2.5 Gb/s, MTU 1024 is the base group of other hosts, which hear nothing of this one (10 Gb/s, MTU 2048): give all hosts the same min_rate and min_mtu";

describe("groups of others", () => {
  it("are those of the protocol, by its Q_Key, in the same partition, that are not the own", async () => {
    const ipv6 = Gid.parse("ff12:601b:ffff::1:ff00:1");
    const { queries, shown, warnings } = await rig([BASE, LOW, FAST, ELSEWHERE, ipv6]);
    expect(queries).toMatchObject([
      { method: "getTable", attributeId: SaAttribute.MC_MEMBER_RECORD, componentMask: 0x4n },
    ]);
    expect(shown()).toEqual([
      [LOW, "foreign", "left-out", BELOW],
      [FAST, "foreign", "left-out", expect.stringContaining("unless it is the one of their ports (route_prot acm)")],
    ]);
    expect(warnings).toHaveLength(2);
  });

  it.each([{ portGroup: true }, { groups: [{ rateGbps: 40, mtuBytes: 2048 }] }])(
    "that are faster are shown under %j too, unless somebody who is heard lists them, and told of at the second look",
    async (options) => {
      const { clock, shown, survey, warnings } = await rig([FAST, FASTER], options);
      survey.hear([BASE, FASTER]);
      const perhaps = expect.stringContaining("is the base group of other hosts, unless it is the one of their ports");
      expect(shown()).toEqual([[FAST, "foreign", "left-out", perhaps]]);
      expect(warnings).toEqual([]);
      await clock.advance(600_000);
      expect(warnings).toEqual([expect.stringContaining(Gid.format(FAST))]);
    },
  );

  it("that are slower can be of a port that is too slow for the base group, where ports have groups", async () => {
    const { shown, warnings } = await rig([LOW], { portGroup: true });
    const problem =
      "2.5 Gb/s, MTU 1024 is the base group of other hosts, or of a port too slow for this one, which hear nothing of it (10 Gb/s, MTU 2048): give all hosts the same min_rate and min_mtu, which each port can carry";
    expect(shown()).toEqual([[LOW, "foreign", "left-out", problem]]);
    expect(warnings).toHaveLength(1);
  });

  it("are looked for within ten seconds, then every ten minutes, and told of in the log once", async () => {
    const { clock, queries, warnings, sees, shown } = await rig([LOW]);
    await clock.advance(600_000);
    expect(queries).toHaveLength(2);
    expect(warnings).toHaveLength(1);
    sees.length = 0;
    await clock.advance(600_000);
    expect(shown()).toEqual([]);
  });

  it("are looked for again under another SM, and no more when the endpoint is closed", async () => {
    const { clock, queries, survey } = await rig([]);
    survey.renew();
    await clock.advance(5_000);
    expect(queries).toHaveLength(2);
    survey.close();
    expect(clock.pending).toBe(0);
  });
});
