/**
 * Reads the guest's control lines from `stream`. Handlers: mark(name); exit({ status, out, err }), the command's status and the numbers
 * of bytes that it wrote; fail(text), when the guest could not do its work.
 */
export function readControl(stream, handlers) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const rows = (rest + text).split("\n");
    rest = rows.pop() ?? "";
    for (const row of rows) {
      const [word, ...words] = row.split(" ");
      if (word === "mark") handlers.mark(words[0]);
      if (word === "exit") {
        const [status, out, err] = words.map(Number);
        handlers.exit({ status, out, err });
      }
      if (word === "fail") handlers.fail(words.join(" "));
    }
  });
}

/** Copies `from` to `to` with back-pressure; `onBytes` gets the number of each piece. */
export function pump(from, to, onBytes) {
  let isOpen = true;
  from.on("data", (data) => {
    if (isOpen && !to.write(data)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
    onBytes(data.length);
  });
  from.on("error", () => {}); // the machine's end of it is gone, which its exit tells
  // A reader that went away: go on, and drop what follows.
  to.on("error", () => {
    isOpen = false;
    from.resume();
  });
}
