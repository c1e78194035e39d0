import { fileURLToPath } from "node:url";
import { Peer } from "../peer.ts";
import type { Mode, Outcome } from "./contender.ts";
import type { Installed } from "./install.ts";
import { type Program, withPrint, withValue } from "./programs.ts";

/** Longer than the calls of a round take. */
const LIMIT_MS = 60_000;
const DRIVER = fileURLToPath(import.meta.resolve("./driver.py"));

/** A library of Python, in a process that calls it and holds the clock. */
export class Driven extends Peer {
  #toCode: (program: Program) => string;

  constructor(
    name: "plain" | "monty" | "eryx",
    { python, folder }: Installed,
  ) {
    super([DRIVER, name, folder], { command: [python] });
    this.#toCode = name === "monty" ? withValue : withPrint;
  }

  /** Its calls of a kind. */
  mode(mode: "fresh" | "kept", calls: number): Mode {
    return {
      calls,
      run: async (program, calls) => {
        const code = this.#toCode(program);
        await this.send(JSON.stringify({ mode, code, calls }));
        const line = await within(LIMIT_MS, this.receive());
        const { outcomes, error }: Reply = JSON.parse(line);
        if (outcomes) return outcomes;
        throw new Error(error ?? "no answer");
      },
    };
  }
}

interface Reply {
  outcomes?: Outcome[];
  error?: string;
}

/** @throws {Error} If it takes longer. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`no answer within ${limitMs} ms`)),
    limitMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
