/** The end of attached sockets, over real connections. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@verbena/core";
import { AttachTransport, RdsStack } from "../../src/index.js";

const folder = mkdtempSync(join(tmpdir(), "rds-close-"));
const host = createHost();
const path = join(folder, "rds.sock");

async function listening(accept: (connection: Socket) => void): Promise<Server> {
  const server = createServer(accept).listen(path);
  await once(server, "listening");
  return server;
}

const attached = (): RdsStack => new RdsStack({ host, transports: [new AttachTransport(host, { path })] });

afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("the close of a stack waits for sockets that were destroyed before: their ports are free then", async () => {
  await using serving = new RdsStack({ host });
  const sessions = serving.serve();
  const server = await listening((connection) => sessions.accept(connection));
  const stack = attached();
  const socket = stack.createSocket();
  await socket.bind("127.0.0.1", 4000);
  expect(sessions.sockets).toHaveLength(1);
  socket.destroy();
  await stack.close();
  expect(sessions.sockets).toEqual([]);
  server.close();
});

it("a socket that is closed while it is being bound gives up at once, and so does the stack", async () => {
  let mute: Socket | undefined;
  const server = await listening((connection) => {
    mute = connection.resume();
  });
  const stack = attached();
  const socket = stack.createSocket();
  const binding = socket.bind("127.0.0.1", 4000);
  const outcome = binding.catch((error: unknown) => error);
  await once(server, "connection");
  const ended = once(mute!, "end");
  await stack.close();
  expect(await outcome).toMatchObject({ code: "VERBENA_RDS_CLOSED" });
  await ended;
  server.close();
});
