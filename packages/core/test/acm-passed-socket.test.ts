/** A listening socket that the service manager has opened: the server takes it by its descriptor. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { RawClient } from "./support/raw-client.js";

it.each(["TypeScript", "native"])(
  "serves on a descriptor it has inherited, server: %s",
  async (kind) => {
    const owner = createServer().listen(0, "127.0.0.1");
    await once(owner, "listening");
    const { port } = owner.address() as AddressInfo;
    const { fd } = (owner as unknown as { readonly _handle: { readonly fd: number } })._handle;
    const server = fork(join(__dirname, "support/robust-server.ts"), ["fd:4", kind], {
      stdio: ["inherit", "inherit", "inherit", "ipc", fd],
      execArgv: [
        "--conditions=@verbena/source",
        `--require=${join(__dirname, "../../../scripts/lib/typescript-hook.cjs")}`,
      ],
    });
    await once(server, "message");
    owner.close(); // from now on only the child listens
    await once(owner, "close");
    const client = await RawClient.open({ kind: "tcp", host: "127.0.0.1", port });
    client.send(Buffer.from("01030000010000100000000000000000", "hex"));
    expect((await client.take(16)).toString("hex")).toBe("01830200000000100000000000000000");
    client.destroy();
    server.kill();
    await once(server, "exit");
  },
  30_000,
);
