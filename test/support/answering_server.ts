/**
 * A server process as `src/server/main.ts`, with calls that show what a host
 * call can do.
 *
 * @module
 */
import { NO_OFFERS } from "./no_parts.ts";
import {
  type HostCall,
  hostCall,
  HostCallError,
} from "../../src/server/host_calls/host_call.ts";
import type { CodeModeParts } from "../../src/server/code_mode/code_mode.ts";
import { contract, toAnswer } from "../../src/server/contracts/contract.ts";
import { Contracts } from "../../src/server/contracts/contracts.ts";
import { HOST_CALLS } from "../../src/server/host_calls/host_calls.ts";
import { BrokerLine } from "../../src/server/broker_line.ts";
import { serveStdio } from "../../src/server/transports/serve_stdio.ts";
import { ScriptPools } from "../../src/server/pool/script_pools.ts";
import { poolStarter } from "../../src/server/pool/start_pool.ts";
import { Share } from "../../src/shares.ts";

/** Calls that were left alone before they were answered, since they were asked for. */
const abandoned: string[] = [];

const asks: HostCall[] = [
  hostCall({
    name: "echo",
    parse: (data) => data,
    answer: (data) => Promise.resolve(JSON.parse(JSON.stringify(data))),
  }),
  hostCall({
    name: "repeat",
    parse(data) {
      const { text, times } = { ...Object(data) };
      if (typeof text !== "string") {
        throw new TypeError("text must be a string");
      }
      if (!(times >= 0)) throw new RangeError(`times is ${times}`);
      return { text, times: Number(times) };
    },
    answer: ({ text, times }) => text.repeat(times),
  }),
  hostCall({
    name: "secret",
    parse: () => null,
    deny: () => "Reading secrets is not granted: allow it with --allow-secret.",
    answer: () => "a secret",
  }),
  hostCall({
    name: "refuse",
    parse: () => null,
    answer() {
      throw new HostCallError("RuntimeError", "There is nothing to be had.");
    },
  }),
  hostCall({
    name: "fail",
    parse: () => null,
    answer() {
      throw new Error("a secret of the host");
    },
  }),
  hostCall({
    name: "hang",
    parse: String,
    answer: (name, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          abandoned.push(name);
          reject(signal.reason);
        });
      }),
  }),
  hostCall({
    name: "abandoned",
    parse: () => null,
    answer: () => abandoned.splice(0),
  }),
];

const link = new BrokerLine();
const settings = await link.settings;
const turns = new Share(settings.pool.running);
const hostCalls = { ...HOST_CALLS, asks };
const pools = new ScriptPools({
  ...{ settings, turns },
  install: (requirements, onStep) => link.install(requirements, onStep),
  startPool: poolStarter(link, settings, { turns, hostCalls }),
});
const contracts = new Contracts();
let takeAway: (() => void) | undefined;
/** A tool that has JSON Schema alone, and another that comes and goes by it. */
contracts.add(() =>
  contract({
    name: "turn",
    tool: () => ({ description: "Turns another tool on or off" }),
    schema: {
      type: "object",
      properties: { on: { type: "string", maxLength: 9 } },
      additionalProperties: false,
    },
    answer({ on }) {
      takeAway?.();
      takeAway = on === undefined ? undefined : contracts.add(() =>
        contract({
          name: "other",
          tool: () => ({ description: `It is ${on}` }),
          schema: { type: "object" },
          answer: (given) => toAnswer({ on: String(on), ...given as object }),
        })
      );
      return toAnswer({ done: true });
    },
  })
);
/** Code mode without servers, which keeps nothing. */
const CODE_MODE: CodeModeParts = {
  hub: {
    servers: () => Promise.resolve([]),
    maybeUnjudged: () => undefined,
    judge() {},
    warm() {},
    ...NO_OFFERS,
    tools: () => Promise.reject(new Error("there are no servers")),
    currentTools: () => Promise.reject(new Error("there are no servers")),
    knownTools: () => undefined,
    call: () => Promise.reject(new Error("there are no servers")),
  },
  kept: {
    list: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
  },
};
const codeMode = settings.codeMode ? CODE_MODE : undefined;
await serveStdio(link, pools, settings, codeMode, contracts);
Deno.exit(0);
