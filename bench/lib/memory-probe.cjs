// Loaded into a daemon that is measured (`node --require`): at SIGUSR2 it collects garbage and writes what its memory is used for.
const { renameSync, writeFileSync } = require("node:fs");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

const file = process.env.VERBENA_BENCH_MEMORY;

process.on("SIGUSR2", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  // What finalizers let go of is free at the next collection.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.new`, file);
});
