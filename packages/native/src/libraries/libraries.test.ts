import type { NativeBinding } from "../binding.js";
import { Libraries } from "./libraries.js";

test("who may not connect to a fabric is told whose sockets they are, not to start one", () => {
  const binding = {
    attachFabric: () => {
      throw Object.assign(new Error("fabricsim_attach: Permission denied"), { code: "EACCES", errno: 13 });
    },
  } as unknown as NativeBinding;
  const libraries = new Libraries(
    binding,
    { fabric: { dir: "/tmp/f", node: "H1", library: "/opt/libfabricsim.so" } },
    {},
  );
  expect(libraries.availability().umad).toEqual({
    available: false,
    reason: "cannot join the simulated fabric at /tmp/f as H1: fabricsim_attach: Permission denied",
    hint: "This user may not connect to the fabric: be the user who runs it, or get write access to the sockets in its directory.",
  });
});
