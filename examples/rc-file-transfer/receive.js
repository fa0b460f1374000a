// Receives one file over a reliable connection:
//   node receive.js FOLDER
import { once } from "node:events";
import { createServer } from "node:net";
import { readArguments } from "./arguments.js";
import { run, TransferError } from "./errors.js";
import { Line } from "./introduction.js";
import { receiveFile } from "./receiver.js";

await run(async () => {
  const options = readArguments(process.argv.slice(2), { call: "node receive.js FOLDER", count: 1, hasRing: true });
  const [folder = ""] = options.words;
  const server = createServer().listen(options.port);
  await once(server, "listening").catch((cause) => {
    throw new TransferError("TRANSFER_USAGE", cause.message, { cause });
  });
  console.log(`waiting at port ${options.port}`);
  const [socket] = await once(server, "connection");
  server.close();
  const line = new Line(socket);
  try {
    const { path, size } = await receiveFile(folder, line, options);
    console.log(`${path}: ${size} bytes`);
  } finally {
    line.close();
  }
});
