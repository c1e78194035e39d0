import type {
  Engine,
  Interpreter,
  OnMessage,
  OpenEngine,
} from "../../../src/engines/engine.ts";
import type { Ending } from "../../../src/protocol/run_messages.ts";

/**
 * Opens the engine; its interpreters live in the process that opens it. The files of its
 * runtime are facts that a test has chosen.
 */
export const openEngine: OpenEngine<Partial<Engine>> = ({ runtime }) =>
  Promise.resolve({
    ...{ mostSaved: 0, ...runtime },
    prepare: () => Promise.resolve(startInterpreter()),
  });

function startInterpreter(): Interpreter {
  const variables = new Map<string, bigint>();
  let stop = Promise.withResolvers<void>();
  return {
    async run({ request: { code, globals } }, onMessage): Promise<Ending> {
      stop = Promise.withResolvers();
      for (const [name, value] of Object.entries(JSON.parse(globals))) {
        variables.set(name, BigInt(Number(value)));
      }
      let last: bigint | null = null;
      try {
        for (const line of code.split("\n").filter((one) => one.trim())) {
          if (line.trim() === "spin") {
            await stop.promise;
            throw new Error("KeyboardInterrupt");
          }
          last = await obey(line, variables, onMessage);
        }
      } catch (error) {
        return {
          ...{ status: "run-error", exitCode: 1 },
          error: error instanceof Error ? error.message : String(error),
        };
      }
      return {
        status: "success",
        value: last === null ? "null" : last.toString(),
      };
    },
    save: () =>
      Promise.resolve({ type: "unsaved", reasons: ["A toy cannot be saved."] }),
    answer() {},
    interrupt: () => stop.resolve(),
    interruptTasks() {},
    isDeaf: () => false,
    end() {
      stop.resolve();
      return Promise.resolve(true);
    },
  };
}

/** Obeys a line: `name = expression`, `print(expression)` or an expression. */
async function obey(
  line: string,
  variables: Map<string, bigint>,
  onMessage: OnMessage,
): Promise<bigint | null> {
  const [, name, assigned] = /^\s*([a-z_]\w*)\s*=(?!=)(.*)$/i.exec(line) ?? [];
  if (name !== undefined && assigned !== undefined) {
    variables.set(name, evaluate(assigned, variables));
    return null;
  }
  const [, printed] = /^\s*print\((.*)\)\s*$/.exec(line) ?? [];
  if (printed === undefined) return evaluate(line, variables);
  const text = `${evaluate(printed, variables)}\n`;
  await onMessage({ type: "output", stream: "stdout", text });
  return null;
}

/** Evaluates by recursive descent. */
function evaluate(text: string, variables: Map<string, bigint>): bigint {
  const tokens = text.match(/\d+|\w+|\/\/|\S/g) ?? [];
  const value = sum();
  if (tokens.length > 0) throw new Error(`SyntaxError: ${tokens[0]}`);
  return value;

  function sum(): bigint {
    let left = product();
    while (tokens[0] === "+" || tokens[0] === "-") {
      left = tokens.shift() === "+" ? left + product() : left - product();
    }
    return left;
  }

  function product(): bigint {
    let left = atom();
    while (tokens[0] === "*" || tokens[0] === "//") {
      const isProduct = tokens.shift() === "*";
      const right = atom();
      if (!isProduct && right === 0n) throw new Error("ZeroDivisionError");
      left = isProduct ? left * right : left / right;
    }
    return left;
  }

  function atom(): bigint {
    const token = tokens.shift() ?? "the end";
    if (token === "-") return -atom();
    if (/^\d+$/.test(token)) return BigInt(token);
    if (token === "(") {
      const inside = sum();
      if (tokens.shift() === ")") return inside;
      throw new Error("SyntaxError: ( was never closed");
    }
    const value = variables.get(token);
    if (value !== undefined) return value;
    throw new Error(
      /^\w+$/.test(token) ? `NameError: ${token}` : `SyntaxError: ${token}`,
    );
  }
}
