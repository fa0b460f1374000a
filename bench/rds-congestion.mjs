// pnpm bench rds-congestion [--write]
//
// Two programs of `verbena rds stress` over TCP, of which the receiving one reads too slowly: how its queue goes up beyond its limit and down to half
// of it. Prints the run in a line; with --write docs/rds-congestion.svg is drawn anew. Fails if the queue was never
// beyond its limit, or grew far beyond it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { init } from "echarts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, quick: { type: "boolean" } } });
const LIMIT = 100_000;
const MESSAGE = 1000;
const MESSAGES_A_SECOND = 1000;
const UNDER_WAY = 400;
const SHOWN_MS = 500;
const port = String(20_000 + (process.pid % 20_000));

/** One side; resolves with its samples. */
function side(words) {
  const carried = ["--transport", "tcp", "--tcp-port", String(Number(port) + 1), "-p", port];
  const timing = ["--warm-up", "1s", "--every", "2ms", "--json"];
  const program = join(root, "packages/cli/bin/verbena.js");
  const child = spawn(process.execPath, [program, "rds", "stress", ...carried, ...timing, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const samples = [];
  createInterface(child.stdout).on("line", (line) => samples.push(JSON.parse(line)));
  return once(child, "close").then(([status]) => {
    if (status !== 0) throw new Error(`rds stress ended with ${status}: ${JSON.stringify(samples.at(-1))}`);
    return samples.filter(({ type }) => type === "sample");
  });
}

function chart(receiver) {
  const drawing = init(null, null, { renderer: "svg", ssr: true, width: 860, height: 380 });
  const line = (yAxis, text) => ({ yAxis, label: { formatter: text, position: "insideEndTop" } });
  drawing.setOption({
    animation: false,
    backgroundColor: "#fff",
    grid: { left: 64, right: 24, top: 40, bottom: 48 },
    xAxis: { type: "value", name: "ms", nameLocation: "middle", nameGap: 28 },
    yAxis: { type: "value", name: "KiB waiting" },
    series: [
      {
        type: "line",
        step: "end",
        showSymbol: false,
        data: receiver.map(({ atMs, receiveQueueBytes }) => [atMs, receiveQueueBytes / 1024]),
        markLine: {
          symbol: "none",
          silent: true,
          data: [line(LIMIT / 1024, "limit: congested above"), line(LIMIT / 2048, "half: free below")],
        },
      },
    ],
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  // Styles for a pointer that hovers over it: a picture in a page gets none.
  const plain = svg.replace(/<style[\s\S]*?<\/style>\s*/g, "");
  return `${plain.replace(/<svg[^>]*>/, "$&\n<title>Bytes in a receive queue over time</title>")}\n`;
}

const receiving = side([
  "-r",
  "127.0.0.3",
  "--receive-buffer",
  String(LIMIT),
  "--read-rate",
  String(MESSAGES_A_SECOND),
]);
const sending = side([
  ...["-r", "127.0.0.2", "-s", "127.0.0.3", "-o", "-q", String(MESSAGE), "-d", String(UNDER_WAY)],
  ...["-T", "1", "--connect-retries", "30"],
]);
const [receiver, sender] = (await Promise.all([receiving, sending])).map((samples) =>
  samples.filter(({ atMs }) => atMs <= SHOWN_MS),
);
const most = Math.max(...receiver.map(({ receiveQueueBytes }) => receiveQueueBytes));
const refusals = sender.reduce((sum, { refusedCongested }) => sum + refusedCongested, 0);
console.log(`messages of ${MESSAGE} bytes, limit ${LIMIT}: ${most} bytes waited at most, ${refusals} sends refused`);
if (values.write) writeFileSync(join(root, "docs/rds-congestion.svg"), chart(receiver));
if (most <= LIMIT || refusals === 0) {
  console.error("bench rds-congestion: the receiver has never been congested");
  process.exitCode = 1;
}
