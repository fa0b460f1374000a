/**
 * An archive in the "newc" form that the kernel unpacks as its initramfs. Entries are { name, mode, content }; the mode
 * carries the file type, and the content of a symbolic link is its target.
 */
export function cpio(entries) {
  const parts = [];
  const pad = (length) => parts.push(Buffer.alloc((4 - (length % 4)) % 4));
  for (const [i, { name, mode, content = "" }] of [...entries, { name: "TRAILER!!!", mode: 0 }].entries()) {
    const data = Buffer.from(content);
    // inode, mode, uid, gid, links, time, size, four device numbers, length of the name, checksum
    const fields = [i + 1, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length + 1, 0];
    const header = `070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}${name}\0`;
    parts.push(Buffer.from(header));
    pad(header.length);
    parts.push(data);
    pad(data.length);
  }
  return Buffer.concat(parts);
}
