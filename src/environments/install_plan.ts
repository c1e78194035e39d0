import type { z } from "../../deps/zod.ts";
import type { Plan as PlanMessage } from "./parse_installer_messages.ts";

/** The packages that an install would have. */
export type Plan = z.infer<typeof PlanMessage>;

/** A package that would be installed, and whether the cache has it. */
export type PlannedPackage = Plan["packages"][number];
