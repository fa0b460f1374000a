import { SimControlClient } from "@verbena/fabric-sim";
import { cliError } from "../../errors.js";

/**
 * A clear answer now is better than a library that cannot attach in a program that does not say why. Throws
 * `VERBENA_SIM_CONTROL_CONNECT` where no fabric answers, `VERBENA_CLI_USAGE_NODE` if it has no such host.
 */
export async function checkNode({ dir, node }: { readonly dir: string; readonly node: string }): Promise<void> {
  await using control = await SimControlClient.connect(dir);
  const { nodes } = await control.request({ op: "status" });
  for (const name of node.split(",")) {
    const isThere = nodes.some(
      ({ id, description, kind }) => kind === "ca" && [id, description, description.split(" ", 1)[0]].includes(name),
    );
    if (!isThere) {
      const known = nodes
        .filter(({ kind }) => kind === "ca")
        .slice(0, 8)
        .map(({ id }) => id);
      throw cliError("VERBENA_CLI_USAGE_NODE", { details: { node: name, dir, known: known.join(", ") } });
    }
  }
}
