import { type NativeOptions, type NativeServices, openNative } from "@verbena/native";

/** Native services, and whether they are ours to close. */
export interface NativeHost {
  readonly native: NativeServices;
  readonly isOwned: boolean;
  /** True when the host is a node of a simulated fabric: its addresses, not the kernel's routing, choose a source. */
  readonly isSimulated: boolean;
}

/** Opens native services, or takes those handed in. Throws `VERBENA_NATIVE_ADDON` or `VERBENA_NATIVE_OPTION`. */
export function nativeHost(given: NativeServices | NativeOptions = {}): NativeHost {
  const fabricDir = process.env["FABRICSIM_DIR"] ?? "";
  if ("umad" in given) return { native: given, isOwned: false, isSimulated: fabricDir !== "" };
  return {
    native: openNative(given),
    isOwned: true,
    isSimulated: given.fabric !== undefined || fabricDir !== "",
  };
}
