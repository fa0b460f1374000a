import { defineErrors } from "@verbena/ib";

/** Error table of this package; one section per code in `docs/errors.md`. */
export const SIM_ERRORS = {
  VERBENA_SIM_TOPOLOGY_SYNTAX: {
    message: "{place}: {problem}",
    hint: "Topology files are ibsim net files or the output of ibnetdiscover; docs/simulator.md shows both.",
  },
  VERBENA_SIM_TOPOLOGY_VALUE: {
    message: "{place}: {problem}",
    hint: "Correct the value in the topology file.",
  },
  VERBENA_SIM_TOPOLOGY_DUPLICATE: {
    message: "{place}: {problem}",
    hint: "Names, ports, GUIDs and LIDs occur once in a topology.",
  },
  VERBENA_SIM_TOPOLOGY_LINK: {
    message: "{place}: {problem}",
    hint: "Each cable is written at both of its ends, and the two lines name each other.",
  },
  VERBENA_SIM_TOPOLOGY_INCLUDE: {
    message: "{place}: {problem}",
    hint: 'Write include "FILE" with a path relative to the including file.',
  },
  VERBENA_SIM_TOPOLOGY_EMPTY: {
    message: "{file}: no node found",
    hint: 'A topology needs at least one line such as Hca 1 "H1".',
  },
  VERBENA_SIM_TOPOLOGY_SIZE: {
    message: "cannot build that fabric: {problem}",
    hint: "Change the numbers of hosts, leaf switches, spine switches or switch ports.",
  },
  VERBENA_SIM_FILE: {
    message: "cannot read {file}: {problem}",
    hint: "Check the path and its permissions.",
  },
  VERBENA_SIM_NODE_UNKNOWN: {
    message: 'no node "{name}" in the topology',
    hint: "Name a node by its id, its NodeDescription or the first word of that; verbena sim ctl status lists them.",
  },
  VERBENA_SIM_PORT_UNKNOWN: {
    message: '"{name}" names no port of the fabric: {problem}',
    hint: "Write a port as NODE[PORT]; without [PORT] the node must have exactly one connected port.",
  },
  VERBENA_SIM_SM_NODE: {
    message: '"{name}" cannot host the subnet manager: {problem}',
    hint: "Name an HCA with a connected port, as NODE or NODE[PORT], behind --sm-node or hand-over.",
  },
  VERBENA_SIM_OPTION: {
    message: "option {option}: {problem}",
    hint: "docs/simulator.md lists the options and their ranges.",
  },
  VERBENA_SIM_ADDRESS_SYNTAX: {
    message: "{place}: {problem}",
    hint: "Write an address as NODE[PORT] IP/PREFIX [PKEY], for example H1[1] 10.0.0.1/24 0xffff.",
  },
  VERBENA_SIM_ADDRESS_DUPLICATE: {
    message: "{place}: {problem}",
    hint: "An address belongs to one port and partition; delete or move it first.",
  },
  VERBENA_SIM_ADDRESS_UNKNOWN: {
    message: "no port has the address {address}",
    hint: "verbena sim ctl addresses lists what is there.",
  },
  VERBENA_SIM_DIR: {
    message: "cannot use {dir} for a fabric: {problem}",
    hint: "Give a writable directory of its own with --dir, for example under /tmp; not under /run.",
  },
  VERBENA_SIM_DIR_BUSY: {
    message: "a fabric already runs in {dir}",
    hint: "Stop it first, or give another directory.",
  },
  VERBENA_SIM_SOCKET_PATH: {
    message: "socket path {path} has {length} bytes; Unix sockets allow 107",
    hint: "Choose a directory with a shorter path, for example under /tmp.",
  },
  VERBENA_SIM_LIBRARY_MISSING: {
    message: "libfabricsim.so is not built: {path}",
    hint: "Build it with: pnpm --filter @verbena/fabric-sim build:native",
  },
  VERBENA_SIM_START: {
    message: "the fabric did not start: {problem}",
    hint: "Its own error stands in the cause.",
  },
  VERBENA_SIM_EVENT_LOG: {
    message: "cannot write the event log {file}: {problem}",
    hint: "Give a file in a directory that exists and may be written to.",
  },
  VERBENA_SIM_CONTROL_CONNECT: {
    message: "no fabric answers at {path}: {problem}",
    hint: "Start one with: verbena sim run TOPOLOGY --dir DIR",
  },
  VERBENA_SIM_CONTROL_CLOSED: {
    message: "the control connection closed before the answer came",
    hint: "The fabric ended; look at its output.",
  },
  VERBENA_SIM_CONTROL_TIMEOUT: {
    message: "the fabric did not answer the request {op} within {timeoutMs} ms",
    hint: "Its process is there but stands still: stopped by a signal or a debugger, or the machine is overloaded.",
  },
  VERBENA_SIM_CONTROL_REQUEST: {
    message: "bad control request: {problem}",
    hint: "docs/simulator.md lists the requests and their members.",
  },
  VERBENA_SIM_MANAGEMENT: {
    message: "{op} is a request to the built-in subnet manager, and OpenSM manages this fabric",
    hint: "Use OpenSM's own console and files, or start the fabric without --sm opensm.",
  },
  VERBENA_SIM_CONTROL_VERSION: {
    message: "the fabric speaks control protocol {theirs}, this program {ours}",
    hint: "Use the same version of @verbena/fabric-sim on both sides.",
  },
} as const;

/** A code of this package. */
export type SimErrorCode = keyof typeof SIM_ERRORS;

/** Makes this package's errors. */
export const simError = defineErrors(SIM_ERRORS);
