import type { SaQuery } from "@verbena/core/sdk";
import { VirtualClock } from "@verbena/core/testing";
import { acmMgid, encodeMcMemberRecord, Gid, Mtu, PKey, Rate, SaAttribute } from "@verbena/ib";
import { BASE, granted, LOW, PORT } from "../../test/support/parts.js";
import { optionsSchema } from "../options.js";
import { planGroups } from "./group-plan.js";
import { GroupSurvey } from "./group-survey.js";

const FAST = acmMgid({ pkey: PKey.DEFAULT, rate: Rate.from(7), mtu: Mtu.MTU_4096 });
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

  it("that are faster are somebody's port's where groups of ports are in use", async () => {
    expect((await rig([LOW, FAST], { portGroup: true })).shown()).toEqual([[LOW, "foreign", "left-out", BELOW]]);
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
