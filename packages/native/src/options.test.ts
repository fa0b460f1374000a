import { checkOptions } from "./options.js";

const refused = (options: object, message: string) =>
  expect(() => checkOptions(options)).toThrow(expect.objectContaining({ code: "VERBENA_NATIVE_OPTION", message }));

test("known options pass", () => {
  expect(() => checkOptions({})).not.toThrow();
  expect(() => checkOptions({ libibumad: "/u", fabric: { dir: "/d", node: "H1", library: "/l" } })).not.toThrow();
});

test("an unknown name is refused with the nearest one", () => {
  refused({ libibumadd: "/u" }, "unknown option libibumadd; did you mean libibumad?");
  refused({ socket: 1 }, "unknown option socket; known are libibverbs, libibumad, librdmacm, fabric");
  refused(
    { fabric: { dir: "/d", nodes: "H1", library: "/l" } },
    "option fabric: unknown option nodes; did you mean node?",
  );
});

test("wrong types are refused", () => {
  refused({ libibumad: 3 }, "option libibumad must be a path");
  refused({ fabric: { dir: "/d", node: "", library: "/l" } }, "option fabric.node must be a non-empty string");
});
