import type { IncomingMessage } from "node:http";
import * as v from "valibot";
import { coreError } from "../errors.js";

/** Longest body, bytes. The largest request there is has a few hundred. */
export const MAX_BODY_BYTES = 65_536;

/** Reads a JSON body and checks it; an empty one counts as `{}`. Rejects with VERBENA_CONTROL_BODY or VERBENA_CONTROL_BODY_SIZE. */
export async function readBody<S extends v.GenericSchema>(
  request: IncomingMessage,
  schema: S,
): Promise<v.InferOutput<S>> {
  const result = v.safeParse(schema, parse(await readText(request)));
  if (result.success) return result.output;
  const what = result.issues.map((issue) => `${v.getDotPath(issue) ?? "body"}: ${issue.message}`).join("; ");
  throw coreError("VERBENA_CONTROL_BODY", { details: { what } });
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) throw coreError("VERBENA_CONTROL_BODY_SIZE", { details: { limit: MAX_BODY_BYTES } });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parse(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw coreError("VERBENA_CONTROL_BODY", { details: { what: String(cause) }, cause });
  }
}
