// jest's Node environment, which fails a test file that leaves verbs objects behind, once its last hook has run.
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { TestEnvironment } = require("jest-environment-node");

const folder = process.env["VERBENA_NATIVE_DIR"] || join(__dirname, "../packages/native/build/Release");
const addon = join(folder, "verbena_native.node");

/** Objects that are open in this process, by kind; nothing where the addon is not built. */
function liveObjects() {
  if (!existsSync(addon)) return [];
  return Object.entries(require(addon).liveVerbsObjects()).filter(([, count]) => count > 0);
}

module.exports = class LeakEnvironment extends TestEnvironment {
  #before = 0;

  async setup() {
    await super.setup();
    // What an earlier file has left was its failure.
    this.#before = total(liveObjects());
  }

  handleTestEvent(event) {
    if (event.name !== "run_finish") return;
    const live = liveObjects();
    if (total(live) <= this.#before) return;
    const list = live.map(([kind, count]) => `${count} ${kind}`).join(", ");
    throw new Error(`this file leaves verbs objects open: ${list}`);
  }
};

function total(live) {
  return live.reduce((sum, [, count]) => sum + count, 0);
}
