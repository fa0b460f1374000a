import { IpAddress } from "@verbena/ib";
import { CongestionMonitor } from "./congestion-monitor.js";

const port = (number: number) => ({ address: IpAddress.parse("10.0.0.1"), port: number, scopeId: 0 });
const bit = (number: number) => 1n << BigInt(number % 64);

test("off: it knows that the kernel will tell, and has nothing for the program", () => {
  const monitor = new CongestionMonitor();
  monitor.refused(port(2000));
  expect([monitor.isWaiting, monitor.mask]).toEqual([true, undefined]);
  monitor.told(bit(2000));
  expect([monitor.isWaiting, monitor.hasPending]).toEqual([false, false]);
});

test("a mask that fills itself: ports that refused, each told once", () => {
  const monitor = new CongestionMonitor();
  monitor.set("refused");
  expect(monitor.mask).toBe(0n);
  monitor.refused(port(2000));
  monitor.refused(port(2063));
  expect(monitor.mask).toBe(bit(2000) | bit(2063));
  monitor.told(bit(2000));
  expect([monitor.takePending(), monitor.mask, monitor.isWaiting]).toEqual([bit(2000), bit(2063), true]);
  expect(monitor.takePending()).toBe(0n);
});

test("a mask of the program stays: of what the kernel tells only that, in all 64 bits", () => {
  const monitor = new CongestionMonitor();
  monitor.set(bit(63) | (1n << 70n));
  expect(monitor.mask).toBe(bit(63));
  monitor.refused(port(63));
  monitor.refused(port(5));
  monitor.told(bit(63) | bit(5));
  expect([monitor.takePending(), monitor.mask]).toEqual([bit(63), bit(63)]);
});

test("a kernel that leaves out which ports means those that refused", () => {
  const monitor = new CongestionMonitor();
  monitor.set(bit(1) | bit(2));
  monitor.refused(port(1));
  monitor.told(undefined);
  expect([monitor.takePending(), monitor.mask, monitor.isWaiting]).toEqual([bit(1), bit(1) | bit(2), false]);
});

test("turning it off forgets what is pending", () => {
  const monitor = new CongestionMonitor();
  monitor.set("refused");
  monitor.refused(port(1));
  monitor.told(bit(1));
  monitor.set(undefined);
  expect([monitor.hasPending, monitor.mask]).toEqual([false, undefined]);
});
