import { inspect } from "node:util";
import { VerbenaError } from "@verbena/ib";
import { coreError } from "../errors.js";
import type { Logger, Metrics } from "../sdk/services.js";

/** Where faults of providers are reported. */
export interface FaultReport {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reports a broken contract of a provider: one log line with code and hint, one count. */
export function reportFault({ logger, metrics }: FaultReport, provider: string, what: string, cause?: unknown): void {
  const error = coreError("VERBENA_PROVIDER_FAULT", { details: { name: provider, what }, cause });
  logger.error(error.message, { code: error.code, provider, hint: error.hint, cause: causeText(cause) });
  metrics.increment("verbena_provider_faults_total", { provider });
}

/**
 * Calls into a provider where nothing is to be looked up: opening, closing, telling. Whatever goes wrong, thrown or rejected, is
 * logged and gives `undefined`: one provider's trouble is not another's.
 */
export async function callProvider<T>(
  report: FaultReport,
  provider: string,
  what: string,
  call: () => T | PromiseLike<T>,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (VerbenaError.is(error)) {
      report.logger.error(`provider ${provider}: ${what} failed`, {
        code: error.code,
        error: error.message,
        hint: error.hint,
      });
    } else {
      reportFault(report, provider, `${what} failed: ${String(error)}`, error);
    }
    return undefined;
  }
}

function causeText(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  return cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause, { depth: 1 });
}
