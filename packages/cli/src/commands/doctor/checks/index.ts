import type { Check } from "../check.js";
import { capabilities } from "./capabilities.js";
import { clientSocket } from "./client-socket.js";
import { configFiles } from "./config-file.js";
import { controlSocket } from "./control-socket.js";
import { daemon } from "./daemon.js";
import { devices } from "./devices.js";
import { duplicateAddresses } from "./duplicate-addresses.js";
import { ipoib } from "./ipoib.js";
import { kernel } from "./kernel.js";
import { kernelService } from "./kernel-service.js";
import { libraries } from "./libraries.js";
import { lostFunctions } from "./lost-functions.js";
import { memlock } from "./memlock.js";
import { multicastGroups } from "./multicast-groups.js";
import { multicastPaths } from "./multicast-paths.js";
import { names } from "./names.js";
import { openFiles } from "./open-files.js";
import { otherDaemon } from "./other-daemon.js";
import { partitions } from "./partitions.js";
import { ports } from "./ports.js";
import { rendezvous } from "./rendezvous.js";
import { subnetAdministrator } from "./subnet-administrator.js";
import { umadAccess } from "./umad-access.js";
import { uverbsAccess } from "./uverbs-access.js";

/** Every check, in the order of the report. */
export const CHECKS: readonly Check[] = [
  libraries,
  kernel,
  devices,
  ports,
  partitions,
  subnetAdministrator,
  umadAccess,
  uverbsAccess,
  capabilities,
  memlock,
  openFiles,
  ipoib,
  names,
  duplicateAddresses,
  ...configFiles,
  clientSocket,
  controlSocket,
  rendezvous,
  daemon,
  lostFunctions,
  multicastGroups,
  multicastPaths,
  kernelService,
  otherDaemon,
];
