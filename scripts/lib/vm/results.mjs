// What the reporter in the machine wrote, in the form in which jest gives its results.

/** Parses the reporter's lines: { tests, isComplete }. A line cut off by the end of the machine is left out. */
export function parseReport(text) {
  const rows = text
    .split("\n")
    .slice(0, -1)
    .map((row) => JSON.parse(row));
  return { tests: rows.filter((row) => !row.end), isComplete: rows.some((row) => row.end) };
}

const count = (tests, status) => tests.filter((test) => test.status === status).length;

/** jest's JSON of `tests`; every one of `suites` is in it, also when nothing of it ran. */
export function toJestResult(suites, tests) {
  const testResults = suites.map((name) => ({
    name,
    assertionResults: tests
      .filter((test) => test.suite === name)
      .map((test) => ({
        fullName: test.skip === undefined ? test.name : `${test.name} (${test.skip})`,
        status: test.status,
        failureMessages: test.error === undefined ? [] : [test.error],
      })),
  }));
  const empty = testResults.filter(({ assertionResults }) => assertionResults.length === 0);
  return {
    numPassedTests: count(tests, "passed"),
    numFailedTests: count(tests, "failed"),
    numPendingTests: count(tests, "pending"),
    numFailedTestSuites: empty.length,
    testResults,
  };
}
