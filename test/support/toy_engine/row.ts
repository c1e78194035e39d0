import { fileURLToPath } from "node:url";
import type { EngineRow } from "../../../src/engines/engine.ts";

/**
 * An engine that evaluates integers: without environments, packages, snapshots and
 * saved sessions. Tests alone have this row; a launcher takes it from their code.
 */
export const TOY: EngineRow = {
  profile: {
    ...{
      name: "toy",
      label: "Toy",
      canSave: false,
      canRewind: false,
      exits: {},
    },
    promises: {
      lacks: "nothing but integers",
      always: ["Its operators are +, -, *, // and parentheses."],
      withPackage: {},
      http: { modules: [], packages: [] },
    },
  },
  host: new URL("./host.ts", import.meta.url),
  workers: [],
  flags: () => [],
  mappedMiB: 2048,
  findRuntime: () =>
    Promise.resolve({
      ...{ version: "1", python: "3.0", files: {}, identity: ["toy"] },
      places: [fileURLToPath(new URL(".", import.meta.url))],
    }),
};
