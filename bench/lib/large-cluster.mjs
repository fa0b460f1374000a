// Preload files of a cluster that is larger than the simulated one.
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";

const hex = (value, digits) => `0x${value.toString(16).padStart(digits, "0")}`;
const FIRST_GUID = 0x2_c903_0000_0000n;
const header = (guid, lid) => `Channel Adapter ${hex(guid, 16)}, base LID ${lid}, "host-${lid} HCA-1", port 1\n`;

/** LIDs 1 … `ports`; `own` ({ guid, lid }) is the port whose block has a path to each. The others have none. */
export class LargeCluster {
  constructor(ports, own) {
    this.ports = ports;
    this.own = own;
  }

  guid(lid) {
    return lid === this.own.lid ? this.own.guid : FIRST_GUID + BigInt(lid);
  }

  gid(lid) {
    return (0xfe80n << 112n) | this.guid(lid);
  }

  /** The own block comes last; each of the others has as many paths as `others` says. Gives the number of lines. */
  writeDump(path, others = 0) {
    const file = openSync(path, "w");
    const lines = Array.from({ length: this.ports }, (_, n) => `${hex(n + 1, 4)} : 0  : 4   : 3   \n`);
    const data = lines.slice(0, others).join("");
    const write = (lid, paths) => {
      writeSync(file, `${header(this.guid(lid), lid)}# LID  : SL : MTU : RATE\n${paths}\n`);
    };
    for (let lid = 1; lid <= this.ports; lid++) if (lid !== this.own.lid) write(lid, data);
    write(this.own.lid, lines.join(""));
    closeSync(file);
    return (this.ports - 1) * (others + 3) + this.ports + 3;
  }

  /** `host-N` for each LID. */
  writeHosts(path) {
    const words = (lid) => this.gid(lid).toString(16).padStart(32, "0").match(/.{4}/g);
    const lines = Array.from({ length: this.ports }, (_, n) => `host-${n + 1} ${words(n + 1).join(":")}\n`);
    writeFileSync(path, lines.join(""));
  }
}
