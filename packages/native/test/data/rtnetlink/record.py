#!/usr/bin/env python3
"""Records rtnetlink datagrams in a fresh network namespace: `unshare -n -r python3 record.py recorded.json`.

`eth9` is an Ethernet-like interface. `ib0` is a tap whose link type is set to 32 (InfiniBand): the kernel reports it as it reports an
IPoIB interface, except that it has no link-layer address; tests add one. Links and addresses are listed, then changed one by one while a
socket of the groups LINK, IPV4_IFADDR and IPV6_IFADDR listens. Each step of the result: the datagrams that came, in hexadecimal.
"""
import fcntl, json, os, platform, select, socket, struct, subprocess, sys

GETLINK, GETADDR = 18, 22
TUNSETIFF, TUNSETLINK, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x400454CD, 0x0002, 0x1000
sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
steps = []


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def drain(step, seconds=1.0):
    got = []
    while select.select([sock], [], [], seconds)[0]:
        got.append(sock.recv(1 << 16).hex())
    steps.append({"step": step, "datagrams": got})


def dump(kind, size, sequence):
    sock.send(struct.pack("=IHHII", 16 + size, kind, 0x301, sequence, 0) + bytes(size))


tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"ib0", IFF_TAP | IFF_NO_PI))
fcntl.ioctl(tap, TUNSETLINK, 32)
ip("link add eth9 type ifb")
ip("addr add 203.0.113.9/24 dev eth9")
ip("addr add 192.0.2.1/24 dev ib0")
sock.bind((0, 0x111))
dump(GETLINK, 16, 1)
drain("list links")
dump(GETADDR, 8, 2)
drain("list addresses")
for words in ("addr add 192.0.2.2/32 peer 198.51.100.1/32 dev ib0", "addr add 2001:db8::1/64 dev ib0 nodad",
              "addr del 192.0.2.1/24 dev ib0", "addr del 2001:db8::1/64 dev ib0", "link set ib0 name ib1", "link del eth9"):
    ip(words)
    drain("ip " + words)
os.close(tap)
drain("close the tap of ib1")
with open(sys.argv[1], "w") as out:
    json.dump({"kernel": ".".join(platform.release().split(".")[:2]), "byteOrder": sys.byteorder, "steps": steps}, out, indent=1)
    out.write("\n")
