import { FakeUmadPort, fakeBinding, loadError, systemError } from "../test/fake-binding.js";
import { availability, NATIVE_ERRORS, openNative } from "./index.js";
import { loadBinding } from "./load-binding.js";

const noPorts = {
  listPorts: () => [],
  queryPort: () => undefined,
  openPort: () => new FakeUmadPort(),
  setDebugLevel: () => undefined,
};

describe("availability", () => {
  test("without the addon", () => {
    const found = availability({}, { env: { VERBENA_NATIVE_DIR: "/nonexistent" } });
    expect(found.addon).toMatchObject({
      available: false,
      hint: "VERBENA_NATIVE_DIR names a folder without verbena_native.node.",
    });
    expect(found.verbs).toMatchObject({ available: false });
    expect(found.umad).toMatchObject({ available: false });
  });

  test("libraries that are missing, with what to install", () => {
    const missing = (path: string): never => {
      throw loadError(`${path}: cannot open shared object file: No such file or directory`);
    };
    const found = availability({}, { binding: fakeBinding({ openUmad: missing, openVerbs: missing }), env: {} });
    expect(found).toEqual({
      addon: { available: true, path: "handed in" },
      verbs: {
        available: false,
        reason:
          "cannot load libibverbs.so.1: libibverbs.so.1: cannot open shared object file: No such file or directory",
        hint: "Install rdma-core's libibverbs1, or name the library by VERBENA_LIBIBVERBS.",
      },
      umad: {
        available: false,
        reason: "cannot load libibumad.so.3: libibumad.so.3: cannot open shared object file: No such file or directory",
        hint: "Install rdma-core's libibumad3, or name the library by VERBENA_LIBIBUMAD.",
      },
    });
  });

  test("a kernel without RDMA: libibverbs is there, and gives no list", () => {
    const devices = (): never => {
      throw systemError("ENOSYS", 38, "ibv_get_device_list");
    };
    const binding = fakeBinding({
      openVerbs: () => ({ devices, openDevice: devices }),
      openUmad: () => noPorts,
    });
    const found = availability({}, { binding, env: {} });
    expect(found.umad).toEqual({ available: true, path: "libibumad.so.3" });
    expect(found.verbs).toMatchObject({
      available: false,
      reason: "libibverbs.so.1 is installed, but this kernel has no RDMA support (ibv_get_device_list: ENOSYS)",
      hint: expect.stringContaining("modprobe ib_uverbs ib_umad") as unknown,
    });
    expect(openNative({}, binding).verbs.devices()).toEqual([]);
  });

  test("a fabric that cannot be joined", () => {
    const binding = fakeBinding({
      attachFabric: () => {
        throw systemError("ENOENT", 2, "fabricsim_attach");
      },
    });
    const fabric = { dir: "/tmp/f", node: "H9", library: "/l.so" };
    expect(availability({ fabric }, { binding, env: {} }).umad).toEqual({
      available: false,
      reason: "cannot join the simulated fabric at /tmp/f as H9: fabricsim_attach: ENOENT",
      hint: "Start it with 'verbena sim run TOPOLOGY --dir /tmp/f' and choose a node that 'verbena sim ctl --dir /tmp/f status' lists.",
    });
  });
});

test("an explicit fabric is joined once, before its library is used", () => {
  const calls: string[] = [];
  const binding = fakeBinding({
    attachFabric: (...args) => calls.push(`attach ${args.join(" ")}`),
    openUmad: (path) => {
      calls.push(`umad ${path}`);
      return noPorts;
    },
  });
  const native = openNative({ fabric: { dir: "/tmp/f", node: "H1", library: "/l.so" } }, binding);
  native.umad.listPorts();
  native.umad.listPorts();
  expect(calls).toEqual(["attach /l.so /tmp/f H1", "umad /l.so"]);
});

test.each([
  ["ENODEV", "VERBENA_NATIVE_NO_DEVICE"],
  ["EACCES", "VERBENA_NATIVE_OPEN"],
])("a port that cannot be opened (%s) is %s", (errno, code) => {
  const openPort = (): never => {
    throw systemError(errno, 13, "umad_open_port");
  };
  const { umad } = openNative({}, fakeBinding({ openUmad: () => ({ ...noPorts, openPort }) }));
  expect(() => umad.openPort("mlx5_0", 1)).toThrow(expect.objectContaining({ code, errno: 13 }));
});

test("no right to open a device: the hint says which right", () => {
  const openPort = (): never => {
    throw systemError("EACCES", 13, "umad_open_port");
  };
  const { umad } = openNative({}, fakeBinding({ openUmad: () => ({ ...noPorts, openPort }) }));
  expect(() => umad.openPort("mlx5_0", 1)).toThrow(
    expect.objectContaining({
      hint: "Needs root or access to /dev/infiniband/umad* and uverbs* (group rdma on most distributions).",
    }),
  );
});

test("close closes ports, is idempotent, and everything fails with CLOSED after it", async () => {
  const port = new FakeUmadPort();
  const native = openNative({}, fakeBinding({ openUmad: () => ({ ...noPorts, openPort: () => port }) }));
  native.umad.openPort("mlx5_0", 1);
  await Promise.all([native.close(), native.close()]);
  expect(port.calls).toEqual(["close"]);
  const closed = expect.objectContaining({ code: "VERBENA_NATIVE_CLOSED" });
  expect(() => native.umad.listPorts()).toThrow(closed);
  expect(() => native.verbs.devices()).toThrow(closed);
  expect(() => native.openAddressSource()).toThrow(closed);
});

test("NOTIFY_SOCKET is used, and its absence is no error", () => {
  const sent: string[] = [];
  const binding = fakeBinding({ sendDatagram: (path, text) => sent.push(`${path} ${text}`) });
  const before = process.env["NOTIFY_SOCKET"];
  try {
    delete process.env["NOTIFY_SOCKET"];
    expect(openNative({}, binding).process.notify("READY=1")).toBe(false);
    process.env["NOTIFY_SOCKET"] = "@abstract";
    expect(openNative({}, binding).process.notify("READY=1")).toBe(true);
  } finally {
    if (before === undefined) delete process.env["NOTIFY_SOCKET"];
    else process.env["NOTIFY_SOCKET"] = before;
  }
  expect(sent).toEqual(["@abstract READY=1"]);
});

test("an addon that is not built is a coded error that says how to build it; the override has no fall-back", () => {
  expect(() => loadBinding({ VERBENA_NATIVE_DIR: "/nonexistent" })).toThrow(
    expect.objectContaining({
      code: "VERBENA_NATIVE_ADDON",
      message: "the native addon cannot be loaded: /nonexistent/verbena_native.node does not exist",
    }),
  );
  expect(NATIVE_ERRORS.VERBENA_NATIVE_ADDON.hint).toContain("scripts/bootstrap");
});
