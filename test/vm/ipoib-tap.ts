import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { endianness } from "node:os";
import { join } from "node:path";
import { type NativeBinding, openNative } from "@verbena/native";
import { run } from "./rxe-device.js";

const RTM_NEWLINK = 16;
const IFLA_ADDRESS = 1;
const IFLA_BROADCAST = 2;
/** The link-layer addresses of an IPoIB interface on the port fe80::2:c903:0:2 and in the partition 0x8001 (RFC 4391 9.1.1 and 4). */
const LINK_ADDRESS = Buffer.from("80000048" + "fe80000000000000" + "0002c90300000002", "hex");
const BROADCAST = Buffer.from("00ffffff" + "ff12401b8001" + "000000000000" + "ffffffff", "hex");

// Perl is part of every Debian. The numbers are TUNSETIFF (IFF_TAP | IFF_NO_PI) and TUNSETLINK of linux/if_tun.h.
const SET_LINK_TYPE = `
  open(F, "+<", "/dev/net/tun") or die "open: $!";
  my $request = pack("Z16 S x22", $ARGV[0], 0x1002);
  ioctl(F, 0x400454ca, $request) or die "TUNSETIFF: $!";
  ioctl(F, 0x400454cd, 32) or die "TUNSETLINK: $!";`;

/** An interface with link type 32 (InfiniBand), which stands for an IPoIB interface: Soft-RoCE carries none. */
export class IpoibTap implements Disposable {
  constructor(readonly name: string) {
    run("modprobe", "tun");
    run("ip", `tuntap add dev ${name} mode tap`);
    execFileSync("perl", ["-e", SET_LINK_TYPE, name]);
    run("ip", `link set ${name} up`);
  }

  [Symbol.dispose](): void {
    run("ip", `link delete ${this.name}`);
  }
}

const isLittle = endianness() === "LE";
const read16 = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
const read32 = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));

function attribute(type: number, value: Buffer): Buffer {
  const header = Buffer.from(new Uint16Array([4 + value.length, type]).buffer);
  return Buffer.concat([header, value]);
}

/** A tap has no link-layer address of 20 bytes; those of an IPoIB interface are added to what the kernel says of it. */
function withLinkAddress(datagram: Buffer, name: string): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 16 <= datagram.length; ) {
    const length = read32(datagram, at);
    const message = Buffer.from(datagram.subarray(at, at + ((length + 3) & ~3)));
    at += message.length;
    // Attribute IFLA_IFNAME: length, type 3, text with its zero.
    const isWanted = read16(message, 4) === RTM_NEWLINK && message.includes(`\x03\0${name}\0`, 32, "latin1");
    const added = isWanted ? [attribute(IFLA_ADDRESS, LINK_ADDRESS), attribute(IFLA_BROADCAST, BROADCAST)] : [];
    const whole = Buffer.concat([message, ...added]);
    new DataView(whole.buffer, whole.byteOffset).setUint32(0, added.length > 0 ? whole.length : length, isLittle);
    parts.push(whole);
  }
  return Buffer.concat(parts);
}

/** Native services on this kernel, which sees a link-layer address on the interface `name`. */
export function openNativeWithIpoib(name: string) {
  const addon = join(process.env["VERBENA_NATIVE_DIR"] ?? "", "verbena_native.node");
  const binding = createRequire(__filename)(addon) as NativeBinding;
  return openNative(
    {},
    {
      ...binding,
      openNetlink: (protocol, groups) => {
        const socket = binding.openNetlink(protocol, groups);
        return {
          send: (datagram) => socket.send(datagram),
          start: (onDatagrams, onOverflow, onFailure) =>
            socket.start(
              (datagrams) => onDatagrams(datagrams.map((datagram) => withLinkAddress(datagram, name))),
              onOverflow,
              onFailure,
            ),
          setReading: (isReading) => socket.setReading(isReading),
          close: () => socket.close(),
        };
      },
    },
  );
}
