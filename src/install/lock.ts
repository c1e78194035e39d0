// STUB of the branch `cli`, until the installer has this.
import { UserError } from "../errors.ts";
import type { Plan } from "./install.ts";

/** A plan as a lock file (PEP 751). */
export function toLockFile(_plan: Plan): string {
  throw new UserError("Cannot write a lock file: not written yet.");
}
