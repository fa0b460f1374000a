import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verbena } from "./verbena.js";

/** What differs from kernel to kernel and from version to version. */
function steady(text: string): string {
  return text
    .replace(/\S+\/verbena_native\.node/g, "PATH/verbena_native.node")
    .replace(/\/\S+\/(lib\w+\.so\.\d+)[\d.]* \([\d.]+\)/g, "PATH/$1 (VERSION)")
    .replace(/this shell: (\d+ KiB|unlimited)/g, "this shell: LIMIT")
    .replace(/this shell: \d+, enough for \d+ clients/g, "this shell: N, enough for N clients");
}

// Soft-RoCE has devices, umad and netlink, and no InfiniBand port: everything is there but what we serve.
test("verbena doctor tells the truth about a host that has RoCE only", async () => {
  const { out, err, status } = await verbena(["doctor", "--timeout", "100000"]);
  assert.equal(steady(out), readFileSync("test/vm/recorded/doctor.txt", "utf8"));
  assert.deepEqual([status, err], [1, ""]);
});
