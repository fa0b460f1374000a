import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { Gid } from "@verbena/ib";
import { availability, type NativeServices, openNative } from "@verbena/native";
import { sysfsPort } from "./sysfs.js";

const devices = ["rxe0", "rxe1"];

/** The values that `ibv_devinfo -v` prints of a device, by name; the GIDs as `gids`. */
function devinfo(device: string): Readonly<Record<string, string>> & { readonly gids: readonly string[] } {
  const { stdout } = spawnSync("ibv_devinfo", ["-v", "-d", device], { encoding: "utf8" });
  const values = [...stdout.matchAll(/^\s*(\w+):\s+(.*)$/gm)].map(([, name, value]) => [name, value] as const);
  const gids = [...stdout.matchAll(/GID\[\s*\d+\]:\s+(\S+),/g)].map(([, gid]) => gid ?? "");
  return { ...Object.fromEntries(values), gids } as ReturnType<typeof devinfo>;
}

/** The number that stands in brackets: `PORT_ACTIVE (4)`. */
const code = (text: string | undefined): number => Number(text?.match(/\((\d+)\)/)?.[1]);

describe("the system's libraries on a real kernel", () => {
  let native: NativeServices;
  before(() => {
    native = openNative();
  });
  after(() => native.close());

  test("are found by their own names", () => {
    const found = availability();
    assert.equal(found.addon.available, true);
    assert.deepEqual(found.verbs, { available: true, path: "libibverbs.so.1" });
    assert.deepEqual(found.umad, { available: true, path: "libibumad.so.3" });
  });

  test("list the ports as sysfs has them", () => {
    const ports = native.umad.listPorts();
    assert.deepEqual(
      ports.map(({ device, port, portCount }) => [device, port, portCount]),
      devices.map((device) => [device, 1, 1]),
    );
    for (const port of ports) {
      const kernel = sysfsPort(port.device);
      assert.equal(port.nodeGuid, kernel.nodeGuid);
      assert.equal((port.gidPrefix << 64n) | port.portGuid, kernel.gid0);
      assert.deepEqual([port.lid, port.smLid, port.lmc, port.smSl], [kernel.lid, kernel.smLid, 0, 0]);
      assert.deepEqual([port.state, kernel.state], ["active", "4: ACTIVE"]);
      assert.deepEqual([port.physState, kernel.physState], [5, "5: LinkUp"]);
      assert.equal(port.capabilityMask, kernel.capabilityMask);
      assert.equal(port.rateGbps, Number.parseFloat(kernel.rate));
      assert.deepEqual(port.pkeys, [kernel.pkey0]);
      assert.equal(port.linkLayer, kernel.linkLayer);
      assert.deepEqual(native.umad.queryPort(port.device, 1), port);
    }
    assert.equal(native.umad.queryPort("rxe0", 2), undefined);
  });

  test("list the devices as ibv_devinfo prints them", async () => {
    assert.deepEqual(
      native.verbs.devices().map(({ name, nodeType, transport }) => [name, nodeType, transport]),
      devices.map((device) => [device, "ca", "ib"]),
    );
    for (const device of devices) {
      await using context = native.verbs.open(device);
      const printed = devinfo(device);
      const attributes = context.queryDevice();
      assert.equal(attributes.nodeGuid, BigInt(`0x${printed["node_guid"]?.replaceAll(":", "")}`));
      assert.equal(attributes.firmware, printed["fw_ver"]);
      assert.equal(attributes.vendorId, Number(printed["vendor_id"]));
      assert.equal(attributes.portCount, Number(printed["phys_port_cnt"]));
      assert.equal(attributes.maxPkeys, Number(printed["max_pkeys"]));
      const port = context.queryPort(1);
      assert.deepEqual([port.state, code(printed["state"])], ["active", 4]);
      assert.deepEqual([port.maxMtu, port.activeMtu], [code(printed["max_mtu"]), code(printed["active_mtu"])]);
      assert.deepEqual(
        [port.activeWidth, port.activeSpeed],
        [code(printed["active_width"]), code(printed["active_speed"])],
      );
      assert.deepEqual([port.physState, port.lid, port.smLid], [code(printed["phys_state"]), 0, 0]);
      assert.equal(port.gidTableLength, Number(printed["gid_tbl_len"]));
      assert.equal(port.pkeyTableLength, Number(printed["pkey_tbl_len"]));
      assert.equal(port.capabilityMask, Number(printed["port_cap_flags"]));
      assert.deepEqual([port.linkLayer, printed["link_layer"]], ["ethernet", "Ethernet"]);
      assert.deepEqual(
        context.gids(1),
        printed.gids.map((gid) => Gid.parse(gid)),
      );
    }
  });
});
