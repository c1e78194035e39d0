import type { z } from "../../deps/zod.ts";
import type { Plan as PlanMessage } from "./parse_installer_messages.ts";

export type Plan = z.infer<typeof PlanMessage>;
export type PlannedPackage = Plan["packages"][number];
