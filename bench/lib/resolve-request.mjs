/** Hexadecimal: RESOLVE with a NAME source and a NAME destination, tid 0, as `ib_acme -f n -s SOURCE -d DESTINATION` sends it. */
export function resolveByName(source, destination) {
  const message = Buffer.alloc(160);
  message.set([1, 1], 0);
  message.set(new Uint8Array(Uint16Array.of(message.length).buffer), 6);
  for (const [at, flag, name] of [
    [16, 1, source],
    [88, 2, destination],
  ]) {
    message.set(new Uint8Array(Uint32Array.of(flag).buffer), at);
    message.set(new Uint8Array(Uint16Array.of(1).buffer), at + 4);
    message.write(name, at + 8);
  }
  return message.toString("hex");
}
