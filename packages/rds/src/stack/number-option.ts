import { rdsError } from "../errors.js";

/** The value of an option that is a whole number; `of`: whose option. Throws `VERBENA_RDS_OPTION`. */
export function numberOption(of: string, name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const problem = `${name} must be a whole number of ${String(min)}…${String(max)}, not ${String(value)}`;
  throw rdsError("VERBENA_RDS_OPTION", { details: { of, problem } });
}
