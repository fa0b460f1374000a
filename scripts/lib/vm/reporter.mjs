// A reporter of node:test: one JSON object for each finished test, written at once, so that a machine that hangs tells how far it came.

/** Exit status of a process that something keeps alive after its last test. */
export const leftOpenStatus = 7;

const longestExitMs = 30_000;

// The timer keeps nothing alive itself: it fires only in a process that does not end by itself.
const startWatch = () =>
  setTimeout(() => {
    const what = process.getActiveResourcesInfo().filter((name) => name !== "Timeout");
    process.stderr.write(`left open after the last test: ${what.join(", ")}\n`);
    process.exit(leftOpenStatus);
  }, longestExitMs).unref();

/** { suite, name, status, skip?, error? }: `suite` is the outermost describe, `name` what is inside of it. */
export default async function* report(source) {
  const path = [];
  // All suites are enqueued before the first has ended; a start is told only together with the first end inside of it.
  let unfinished = 0;
  for await (const { type, data } of source) {
    if (type === "test:enqueue" && data.nesting === 0) unfinished += 1;
    else if (data.nesting === 0 && (type === "test:pass" || type === "test:fail")) {
      unfinished -= 1;
      if (unfinished === 0) startWatch();
    }
    if (type === "test:start") path.splice(data.nesting, path.length, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = data.details?.error;
    // A describe counts only when it fails by itself, not for what is inside of it.
    if (data.details?.type === "suite" && (type === "test:pass" || error?.failureType === "subtestsFailed")) continue;
    const [suite, ...names] = [...path.slice(0, data.nesting), data.name];
    const skip = data.skip ?? data.todo;
    const isSkipped = skip !== undefined && skip !== false;
    yield `${JSON.stringify({
      suite,
      name: names.join(" ") || "(the suite itself)",
      status: isSkipped ? "pending" : type === "test:pass" ? "passed" : "failed",
      ...(typeof skip === "string" && skip !== "" ? { skip } : {}),
      ...(type === "test:fail" ? { error: String(error?.cause?.stack ?? error?.cause ?? error?.stack ?? error) } : {}),
    })}\n`;
  }
  yield `${JSON.stringify({ end: true })}\n`;
}
