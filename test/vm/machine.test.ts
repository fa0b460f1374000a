import assert from "node:assert/strict";
import { accessSync, readdirSync } from "node:fs";
import { release } from "node:os";
import { test } from "node:test";

// What every other suite here takes for granted.
test("the kernel is Debian's, with Soft-RoCE devices, umad and rdma_cm", () => {
  assert.match(release(), /-amd64$/);
  assert.deepEqual(readdirSync("/sys/class/infiniband").sort(), ["rxe0", "rxe1"]);
  for (const name of ["uverbs0", "umad0", "issm0", "rdma_cm"]) accessSync(`/dev/infiniband/${name}`);
});

test("the command is root and knows where it runs", () => {
  assert.equal(process.getuid?.(), 0);
  assert.equal(process.env["VERBENA_VM"], "1");
});
