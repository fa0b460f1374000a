import { LinkSpeed, LinkWidth, Mtu, nearestWord, PKey } from "@verbena/ib";
import { simError } from "../errors.js";
import { buildTopology } from "./build-topology.js";
import type { NodeDraft } from "./draft.js";
import { GuidAllocator } from "./guid-allocator.js";
import { formatPlace, LineCursor } from "./line-cursor.js";
import type { Topology } from "./model.js";
import { ATTRIBUTE_WORDS, type Attributes, NO_ATTRIBUTES, parseAttributeLine } from "./parse-attribute-line.js";
import { NODE_WORDS, parseNodeLine } from "./parse-node-line.js";
import { parsePortLine } from "./parse-port-line.js";
import type { NodeStatement } from "./statements.js";

const MAX_INCLUDE_DEPTH = 9;

/** Lines that ibnetdiscover prints for people, and ibsim's console commands and switches. */
const IGNORED = /^(?:Chassis|Spine|Line|DR path|->|do\b|pdebug\b)/;

/** How to read a topology. */
export interface ParseTopologyOptions {
  /** Name of the file, for error messages. Default `topology`. */
  readonly file?: string;
  /**
   * Reads the file that an `include` line names, seen from the file that includes it. Default: include lines are errors.
   */
  readonly readInclude?: (name: string, from: string) => { readonly file: string; readonly text: string };
}

/**
 * Reads a topology in the text form of ibsim's net files or of ibnetdiscover's output. docs/simulator.md describes both.
 *
 * @throws VerbenaError `VERBENA_SIM_TOPOLOGY_…`; the message begins with `file:line:column`, `details` has the three apart.
 */
export function parseTopology(text: string, options: ParseTopologyOptions = {}): Topology {
  const parser = new TopologyParser(options);
  const file = options.file ?? "topology";
  parser.readFile(file, text, 0);
  if (parser.drafts.length === 0) throw simError("VERBENA_SIM_TOPOLOGY_EMPTY", { details: { file } });
  return buildTopology(parser.drafts);
}

class TopologyParser {
  readonly drafts: NodeDraft[] = [];
  readonly #ids = new Map<string, NodeStatement>();
  readonly #guids = new GuidAllocator();
  readonly #attributes: Attributes = { ...NO_ATTRIBUTES };
  readonly #options: ParseTopologyOptions;
  #prefix = "";
  #current: NodeDraft | undefined;

  constructor(options: ParseTopologyOptions) {
    this.#options = options;
  }

  readFile(file: string, text: string, depth: number): void {
    const lines = text.split(/\r?\n/);
    lines.forEach((line, index) => {
      this.#readLine(new LineCursor(line, file, index + 1), depth);
    });
    this.#current = undefined;
  }

  #readLine(cursor: LineCursor, depth: number): void {
    cursor.skipSpace();
    const { rest } = cursor;
    if (rest.startsWith("#")) return;
    if (rest.startsWith("[")) return this.#readPort(cursor);
    this.#current = undefined;
    if (rest === "" || IGNORED.test(rest)) return;
    const word = /^@?[A-Za-z]+/.exec(rest)?.[0] ?? "";
    if (NODE_WORDS.includes(word)) return this.#readNode(cursor);
    if ((ATTRIBUTE_WORDS as readonly string[]).includes(word)) return parseAttributeLine(cursor, this.#attributes);
    if (word === "module") return this.#readModule(cursor);
    if (word === "include") return this.#readInclude(cursor, depth);
    const near = nearestWord(word, [...NODE_WORDS, ...ATTRIBUTE_WORDS, "module", "include"]);
    throw cursor.error(
      "VERBENA_SIM_TOPOLOGY_SYNTAX",
      `cannot read "${rest.slice(0, 32)}"`,
      near === undefined ? "lines begin with Switch, Hca, Ca, Rt, [PORT], NAME=VALUE or #" : `did you mean ${near}?`,
    );
  }

  #readNode(cursor: LineCursor): void {
    const statement = parseNodeLine(cursor, this.#prefix);
    const earlier = this.#ids.get(statement.id);
    if (earlier !== undefined) {
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_DUPLICATE",
        `node "${statement.id}" is described twice`,
        `the first description is at ${formatPlace(earlier.place)}`,
        statement.place.column - 1,
      );
    }
    this.#ids.set(statement.id, statement);
    this.#current = this.#draft(statement, cursor);
    this.drafts.push(this.#current);
  }

  #draft(statement: NodeStatement, cursor: LineCursor): NodeDraft {
    const attributes = this.#attributes;
    const base = { ca: attributes.caGuid, switch: attributes.switchGuid, router: attributes.routerGuid }[
      statement.kind
    ];
    if (base !== undefined) this.#guids.rebase(statement.kind, base);
    const mtu = Mtu.fromBytes(attributes.mtuBytes ?? 2048);
    if (mtu === undefined) {
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_VALUE",
        `${String(attributes.mtuBytes)} is no MTU`,
        "InfiniBand has 256, 512, 1024, 2048 and 4096 bytes; correct the mtu= line above",
      );
    }
    const draft: NodeDraft = {
      statement,
      nodeGuid: this.#guids.take(statement.kind, statement.portCount),
      portGuid: attributes.portGuid,
      systemImageGuid: attributes.systemImageGuid,
      vendorId: attributes.vendorId ?? 0,
      deviceId: attributes.deviceId ?? 0,
      pkeys: attributes.pkeys ?? [PKey.DEFAULT],
      // ibsim's defaults, so that a plain net file gives the same records in both simulators.
      masks: { widths: attributes.widths ?? LinkWidth.WIDTH_4X, speeds: attributes.speeds ?? LinkSpeed.SDR },
      mtu,
      connections: new Map(),
    };
    if (statement.kind === "ca") attributes.caGuid = undefined;
    else if (statement.kind === "switch") attributes.switchGuid = undefined;
    else attributes.routerGuid = undefined;
    attributes.portGuid = attributes.systemImageGuid = attributes.pkeys = undefined;
    return draft;
  }

  #readPort(cursor: LineCursor): void {
    const node = this.#current;
    if (node === undefined) {
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_SYNTAX",
        "a connection outside of a node",
        "connections follow their node line without an empty line between",
      );
    }
    const connection = parsePortLine(cursor, node.statement, this.#prefix);
    const earlier = node.connections.get(connection.number);
    if (earlier !== undefined) {
      throw cursor.error(
        "VERBENA_SIM_TOPOLOGY_DUPLICATE",
        `port ${connection.number} of "${node.statement.id}" is connected twice`,
        `the first connection is at ${formatPlace(earlier.place)}`,
        connection.place.column - 1,
      );
    }
    node.connections.set(connection.number, connection);
  }

  #readModule(cursor: LineCursor): void {
    const match = cursor.need(
      /module\s*=\s*"([^"#@]*)"/y,
      'module="NAME"',
      'write module="NAME"; node names become NAME#node',
    );
    this.#prefix = match[1] ?? "";
  }

  #readInclude(cursor: LineCursor, depth: number): void {
    const at = cursor.offset;
    const name = cursor.need(/include\s+"([^"]+)"/y, 'include "FILE"', 'write include "FILE"')[1] ?? "";
    const fail = (problem: string, hint: string) => cursor.error("VERBENA_SIM_TOPOLOGY_INCLUDE", problem, hint, at);
    if (depth + 1 >= MAX_INCLUDE_DEPTH) {
      throw fail(`include files are nested ${MAX_INCLUDE_DEPTH} deep`, "look for a file that includes itself");
    }
    if (this.#options.readInclude === undefined) {
      throw fail(`cannot include "${name}" here`, "topologies given as text have no folder; give a file");
    }
    let included: { readonly file: string; readonly text: string };
    try {
      included = this.#options.readInclude(name, cursor.file);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw fail(`cannot include "${name}": ${problem}`, "paths are relative to the including file");
    }
    this.readFile(included.file, included.text, depth + 1);
  }
}
