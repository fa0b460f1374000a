/** Facts about management classes that agent registration and routing need (IBA 13.4.4). */

const SUBN_LID_ROUTED = 0x01;
const SUBN_ADM = 0x03;
const DEVICE_MGMT = 0x06;
const BOOT_MGMT = 0x11;
const DEVICE_ADM = 0x10;
const BIS = 0x12;
const SUBN_DIRECTED_ROUTE = 0x81;
const METHOD_RESPONSE_BIT = 0x80;
const METHOD_TRAP_REPRESS = 0x07;
const MAX_CLASS = 80;

/** Subnet management, the two classes that live on queue pair 0. */
export function isSubnetManagementClass(managementClass: number): boolean {
  return managementClass === SUBN_LID_ROUTED || managementClass === SUBN_DIRECTED_ROUTE;
}

/** Vendor classes of the second range, which share a class number among OUIs. */
export function isOuiClass(managementClass: number): boolean {
  return managementClass >= 0x30 && managementClass <= 0x4f;
}

/** Classes whose MADs have an RMPP header. */
export function isRmppClass(managementClass: number): boolean {
  return (
    managementClass === SUBN_ADM ||
    managementClass === DEVICE_MGMT ||
    managementClass === DEVICE_ADM ||
    managementClass === BIS ||
    isOuiClass(managementClass)
  );
}

/** True for class numbers that an agent may register. */
export function isRegistrableClass(managementClass: number): boolean {
  return managementClass === SUBN_DIRECTED_ROUTE || (managementClass > 0 && managementClass < MAX_CLASS);
}

/** True for a MAD that answers another one, so that its transaction id names the agent it belongs to. */
export function isResponse(method: number, managementClass: number, attributeModifier: number): boolean {
  return (
    (method & METHOD_RESPONSE_BIT) !== 0 ||
    method === METHOD_TRAP_REPRESS ||
    (managementClass === BOOT_MGMT && (attributeModifier & 1) !== 0)
  );
}
