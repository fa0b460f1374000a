// Sends a file over a reliable connection:
//   node send.js FILE HOST
import { once } from "node:events";
import { connect } from "node:net";
import { readArguments } from "./arguments.js";
import { run, TransferError } from "./errors.js";
import { Line } from "./introduction.js";
import { sendFile } from "./sender.js";

await run(async () => {
  const options = readArguments(process.argv.slice(2), { call: "node send.js FILE HOST", count: 2 });
  const [path = "", host = ""] = options.words;
  const socket = connect(options.port, host);
  await once(socket, "connect").catch((cause) => {
    throw new TransferError("TRANSFER_PEER", `${host} port ${options.port}: ${cause.message}`, { cause });
  });
  const line = new Line(socket);
  const begin = performance.now();
  try {
    const size = await sendFile(path, line, options);
    const seconds = (performance.now() - begin) / 1000;
    console.log(`${size} bytes in ${seconds.toFixed(2)} seconds = ${((size * 8) / seconds / 1e6).toFixed(2)} Mbit/sec`);
  } finally {
    line.close();
  }
});
