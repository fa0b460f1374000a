// Who may import whom: the table of docs/architecture.md as rules. Tested on a violating fixture by test/repo.

// Published entry points; everything else of a package is its own business.
const entries = "^packages/[^/]+/src/index\\.ts$|^packages/core/src/(sdk|client|testing)/index\\.ts$";

// package -> what its sources (not its tests) may import of the others; cli may import all
const allowed = {
  ib: [],
  native: ["ib"],
  core: ["ib", "native"],
  "provider-[^/]+": ["ib", "core/src/sdk"],
  rds: ["ib", "core/src/sdk"],
  "fabric-sim": ["ib"],
};

// Test helpers of a package are shared by path: they are not published.
const helpers = "^packages/[^/]+/test/";

const test = "\\.test\\.ts$|^packages/[^/]+/test/";

const arrows = Object.entries(allowed).map(([name, targets]) => ({
  name: `arrows-${name.replace("-[^/]+", "")}`,
  comment: `The sources of this package may import only: ${targets.join(", ") || "nothing of the workspace"}.`,
  severity: "error",
  from: { path: `^packages/(${name})/`, pathNot: test },
  to: {
    path: "^packages/",
    pathNot: [
      "^packages/$1/",
      ...targets.map((target) => `^packages/${target}/${target.includes("/src/") ? "" : "src/"}`),
    ],
  },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: "no-cycle",
      comment:
        "Modules that load each other see each other half made. A type that names its owner is no such cycle: it is erased.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-deep-import",
      comment: "Another package is reached through its published entry points only.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: ["^packages/$1/", entries] },
    },
    {
      name: "no-deep-import-from-outside",
      comment: "Examples, benchmarks and repository tests use published entry points, as every user does.",
      severity: "error",
      from: { path: "^(examples|test|bench|soak)/" },
      to: { path: "^packages/", pathNot: [entries, helpers] },
    },
    {
      name: "no-relative-path-into-package",
      comment: "A package is imported by its name, never by a path.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/", pathNot: "^packages/$1/", dependencyTypes: ["local"] },
    },
    {
      name: "no-relative-path-from-outside",
      comment: "A package is imported by its name, never by a path.",
      severity: "error",
      from: { pathNot: "^packages/" },
      to: { path: "^packages/", pathNot: helpers, dependencyTypes: ["local"] },
    },
    {
      name: "tsyringe-inside-core",
      comment: "Only the core holds a container; others take `inject` and `injectable` from @verbena/core/sdk.",
      severity: "error",
      from: { pathNot: "^packages/core/src/" },
      to: { path: "(^|/)node_modules/tsyringe/|^tsyringe$" },
    },
    {
      name: "no-addon-outside-seam",
      comment: "One file loads the addon: packages/native/src/load-binding.ts.",
      severity: "error",
      from: { pathNot: "^packages/native/src/(binding|load-binding)" },
      to: { path: "\\.node$" },
    },
    {
      name: "not-to-test",
      comment: "Sources do not depend on tests.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: test },
      to: { path: test },
    },
    {
      name: "no-unresolvable",
      comment: "What is imported must exist and be published by the package it comes from.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules"] },
    exclude: { path: ["^packages/[^/]+/(dist|build[^/]*)/"] },
    tsPreCompilationDeps: true, // type imports count too
    tsConfig: { fileName: "tsconfig.test.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@verbena/source", "node", "require", "import", "types", "default"],
    },
  },
};
