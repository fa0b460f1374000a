import { printableLines } from "@verbena/ib";
import type { Io } from "../io.js";
import { expandList } from "./bracket-list.js";
import { EndpointReport } from "./endpoints.js";
import { type GenerateSources, makeAddressFile, makeOptionsFile } from "./generate.js";
import { localSources } from "./local-sources.js";
import { type AcmeOptions, parseOptions } from "./options.js";
import { PerfReport } from "./perf.js";
import type { Print } from "./print.js";
import { resolveAll } from "./resolve.js";
import { defaultService, Service, type ServicePlaces, ServiceUnreachable } from "./service.js";
import { usage } from "./usage.js";

/** What the face is run with; tests inject their own places and sources. */
export interface AcmeEnvironment extends Partial<ServicePlaces> {
  /** Name in the usage and in complaints; `ib_acme` unless given. */
  readonly program?: string;
  /** POSIXLY_CORRECT: the first word that is no option ends the options. */
  readonly isPosix?: boolean;
  readonly sources?: GenerateSources;
}

/**
 * `ib_acme`: its flags, output and exit status. `args` are the words behind the program's name. Gives the exit status: 0; 1 for a
 * command line that asks for nothing; 255 for a failed resolution, verification or file; the connection's errno if the service
 * cannot be reached.
 */
export async function runAcme(args: readonly string[], io: Io, environment: AcmeEnvironment = {}): Promise<number> {
  const { program = "ib_acme", runDir = "/run" } = environment;
  const parsed = parseOptions(args, environment.isPosix ?? process.env["POSIXLY_CORRECT"] !== undefined);
  if (!("options" in parsed)) {
    if (parsed.complaint !== undefined) io.err(`${program}: ${parsed.complaint}\n`);
    io.out(usage(program));
    return 1;
  }
  const { options } = parsed;
  const print: Print = (line) => {
    // Names in replies and files are strangers' texts.
    io.out(printableLines(`${line}\n`));
  };
  let status = 0;
  if (options.destination !== undefined || options.perf !== undefined || options.listsEndpoints) {
    status = await queryServices(options, { runDir }, print);
  }
  const makesFiles = options.makesAddresses || options.makesOptions;
  if (status === 0 && makesFiles) status = await makeFiles(options, environment.sources ?? localSources(), print);
  if (options.verbose || !makesFiles || status !== 0) print(`return status 0x${(status >>> 0).toString(16)}`);
  return status & 0xff;
}

async function makeFiles(options: AcmeOptions, sources: GenerateSources, print: Print): Promise<number> {
  const status = options.makesAddresses ? await makeAddressFile(options, sources, print) : 0;
  return status === 0 && options.makesOptions ? await makeOptionsFile(options, sources, print) : status;
}

/** Goes through the services; the last one's status counts. */
async function queryServices(options: AcmeOptions, places: ServicePlaces, print: Print): Promise<number> {
  const perf = new PerfReport(options, print);
  const endpoints = new EndpointReport(options, print);
  let status = -1;
  for (const name of expandList(options.service ?? defaultService(places))) {
    try {
      const service = await Service.open(name, places);
      try {
        status = options.destination === undefined ? 0 : await resolveAll(service, name, options, print);
        if (options.perf !== undefined) await perf.query(service, name);
        if (options.listsEndpoints) await endpoints.query(service, name);
      } finally {
        service.close();
      }
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
      print(`${name},unable to contact service: ${error.text}`);
      status = error.status;
    }
  }
  return status;
}
