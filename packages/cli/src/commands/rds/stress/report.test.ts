import { IpAddress } from "@verbena/ib";
import { noCounts, RttHistogram } from "./counters.js";
import type { LinkOptions } from "./link-options.js";
import { type Moment, StressReport } from "./report.js";

const plan = {
  tasks: 1,
  requestBytes: 1024,
  ackBytes: 63,
  isSummaryOnly: false,
  showsPerfdata: false,
  sendAddress: IpAddress.parse("10.0.0.2"),
} as LinkOptions;
const local = {
  isJson: false,
  reportsCpu: false,
  outliersUs: undefined,
  showsHistogram: false,
  mostRequests: Number.POSITIVE_INFINITY,
  warmUpMs: 0,
  everyMs: 1000,
  receiveBufferBytes: undefined,
  readRate: undefined,
};
const counts = {
  requestsSent: 1000,
  requestsReceived: 500,
  acksSent: 500,
  acksReceived: 1000,
  bytes: 2 << 20,
  sendUs: 5000,
  rttUs: 22_000,
  refusedFull: 1,
  refusedCongested: 2,
};
const at = (atMs: number, more: Partial<Moment> = {}): Moment => ({
  atMs,
  counts: noCounts(),
  rds: [],
  queues: undefined,
  ...more,
});

function written(more: {
  plan?: Partial<LinkOptions>;
  local?: Partial<typeof local>;
  begin?: Moment;
  end?: Moment;
}): string {
  let out = "";
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: () => undefined,
  };
  const report = new StressReport({ ...plan, ...more.plan }, { ...local, ...more.local }, io, more.begin ?? at(0));
  const end = more.end ?? at(2000, { counts });
  report.line(end);
  report.summary(end);
  return out;
}

describe("what rds stress prints", () => {
  it("has rds-stress' columns, each a second's worth, and an average", () => {
    expect(written({})).toBe(
      [
        "tsks   tx/s   rx/s  tx+rx K/s    mbi K/s    mbo K/s tx us/c   rtt us cpu %",
        "   1    500    250    1024.00       0.00       0.00    5.00    22.00 -1.00",
        "---------------------------------------------",
        "   1    500    250    1024.00       0.00       0.00    5.00    22.00 -1.00  (average)",
        "",
      ].join("\n"),
    );
  });

  it("is the average alone with -z", () => {
    expect(
      written({ plan: { isSummaryOnly: true } })
        .split("\n")
        .slice(1),
    ).toEqual(["   1    500    250    1024.00       0.00       0.00    5.00    22.00 -1.00  (average)", ""]);
  });

  it("is comma separated after :: with --show-perfdata, with the counters of RDS", () => {
    const rds = (value: bigint) => [
      { name: "send_queued", value },
      { name: "copy_to_user_bytes", value: 0n },
    ];
    const lines = written({
      plan: { showsPerfdata: true },
      begin: at(0, { rds: rds(5n) }),
      end: at(2000, { counts, rds: rds(25n) }),
    }).split("\n");
    expect(lines[0]).toBe(
      "::nr_tasks:count,req_size:bytes,ack_size:bytes,rdma_size:bytes,req_sent:count,thruput:kB/s,thruput_rdma:kB/s,tx_delay:microseconds," +
        "rtt:microseconds,cpu:percent,send_queued:count,copy_to_user_bytes:bytes,user:percent,system:percent,idle:percent,irq:percent",
    );
    expect(lines[1]).toMatch(
      /^::1,1024,63,0,1000,1024\.000000,0\.000000,5\.000000,22\.000000,0\.000000,10\.000000,0\.000000(,\d+\.\d{6}){4}$/,
    );
  });

  it("is an object a line with --json, with all that is counted", () => {
    const queues = { sendQueueBytes: 7, receiveQueueBytes: 8 };
    const lines = written({ local: { isJson: true }, end: at(2000, { counts, queues }) })
      .trim()
      .split("\n");
    const { sendUs: _send, rttUs: _rtt, ...counted } = counts;
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      ["sample", "summary"].map((type) => ({
        ...{ type, atMs: 2000, tasks: 1, requestBytes: 1024, ackBytes: 63 },
        ...counted,
        ...{ requestsSentPerSecond: 500, requestsReceivedPerSecond: 250, kibPerSecond: 1024 },
        ...{ meanSendUs: 5, meanRttUs: 22, cpuPercent: null },
        ...queues,
      })),
    );
  });

  it("has round trips by powers of two", () => {
    const histogram = new RttHistogram();
    for (const us of [0, 1, 3, 4, 1e9]) histogram.add(us);
    expect(histogram.buckets).toEqual([2, 1, 1, ...new Array<number>(12).fill(0), 1]);
    expect(histogram.toString().split("\n")[2]).toBe("       4 us          1");
  });
});
