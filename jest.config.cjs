// One project per package and per rung that lives outside the packages; see CONTRIBUTING.md, "Tests".
const { existsSync, readdirSync } = require("node:fs");

const swc = [
  "@swc/jest",
  {
    jsc: {
      target: "es2023",
      parser: { syntax: "typescript", decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: false },
      keepClassNames: true,
    },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  },
];

const project = (displayName, rootDir, testMatch) => ({
  displayName,
  rootDir: `${__dirname}/${rootDir}`,
  testEnvironment: "node",
  testEnvironmentOptions: { customExportConditions: ["@verbena/source", "node", "node-addons", "require", "default"] },
  testMatch,
  setupFiles: ["reflect-metadata"],
  transform: { "^.+\\.ts$": swc },
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
});

/** Packages whose tests open verbs objects. */
const WITH_VERBS = ["native", "fabric-sim"];

const workspaces = (parent) =>
  (existsSync(`${__dirname}/${parent}`) ? readdirSync(`${__dirname}/${parent}`) : [])
    .filter((name) => existsSync(`${__dirname}/${parent}/${name}/package.json`))
    .map((name) => ({
      ...project(parent === "packages" ? name : `example-${name}`, `${parent}/${name}`, [
        "<rootDir>/src/**/*.test.ts",
        "<rootDir>/test/**/*.test.ts",
      ]),
      ...(WITH_VERBS.includes(name) ? { testEnvironment: `${__dirname}/test/leak-environment.cjs` } : {}),
    }));

// test/vm is not here: its suites are of node:test and run in a virtual machine (scripts/test --rung vm).
const rungs = ["peers", "repo"]
  .filter((name) => existsSync(`${__dirname}/test/${name}`))
  .map((name) => project(name, `test/${name}`, ["<rootDir>/**/*.test.ts"]));

module.exports = {
  projects: [...workspaces("packages"), ...workspaces("examples"), ...rungs],
  maxWorkers: 2,
  // Guards against a test that hangs; no test measures time, and a loaded machine must not fail one.
  testTimeout: 30_000,
  // The default of half a second is too short for a worker on a loaded machine; what this names is a leak.
  workerGracefulExitTimeout: 30_000,
  collectCoverageFrom: ["packages/*/src/**/*.ts"],
  coverageProvider: "v8",
  coverageReporters: ["text-summary", "lcov", "json-summary"],
};
