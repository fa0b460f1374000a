import { emptyPortInfo, encodePortInfo } from "../smp/port-info.js";
import { emptySwitchInfo, encodeSwitchInfo } from "../smp/switch-info.js";
import { Lid } from "../value/lid.js";
import { emptyClassRedirect, encodeClassPortInfo } from "./class-port-info.js";
import { emptyMcMemberRecord, encodeMcMemberRecord } from "./mc-member-record.js";
import { emptyPathRecord, encodePathRecord } from "./path-record.js";

const lid = Lid.from(0x0102);

describe("empty records", () => {
  it("are all zero on the wire", () => {
    const none = emptyClassRedirect();
    const classPortInfo = { baseVersion: 0, classVersion: 0, capabilityMask: 0, capabilityMask2: 0, respTimeValue: 0 };
    for (const bytes of [
      encodePathRecord(emptyPathRecord()),
      encodeMcMemberRecord(emptyMcMemberRecord()),
      encodePortInfo(emptyPortInfo()),
      encodeSwitchInfo(emptySwitchInfo()),
      encodeClassPortInfo({ ...classPortInfo, redirect: none, trap: none }),
    ]) {
      expect(bytes.equals(Buffer.alloc(bytes.length))).toBe(true);
    }
  });

  it("take the fields given", () => {
    expect(encodePathRecord(emptyPathRecord({ dlid: lid })).readUInt16BE(40)).toBe(0x0102);
    expect(encodeMcMemberRecord(emptyMcMemberRecord({ mlid: lid })).readUInt16BE(36)).toBe(0x0102);
    expect(encodePortInfo(emptyPortInfo({ lid })).readUInt16BE(16)).toBe(0x0102);
    expect(encodeSwitchInfo(emptySwitchInfo({ linearFdbTop: 0x0102 })).readUInt16BE(6)).toBe(0x0102);
  });
});
