import { cliError } from "../../errors.js";

/** `--dir` may stand before or behind the request's name. */
export function needDir({ dir }: { readonly dir?: string }): string {
  if (dir === undefined) throw cliError("VERBENA_CLI_USAGE_ARGUMENT", { details: { what: "sim ctl needs --dir DIR" } });
  return dir;
}
