import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { DENIED, type Denied } from "../../grants/guest_grants.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import type { Approval } from "../code_mode/code_mode_run.ts";
import { askGrants } from "./ask_grants.ts";

const host = (at: number): Denied => ({ kind: "net", host: `${at}.test` });

/** Asks about a call's result; gives what was asked and granted. */
async function ask(
  denied: readonly Denied[],
  answers: (Approval | Error)[],
  transport: ListedServer["transport"] = "wasm",
) {
  const asked: unknown[] = [];
  const granted: unknown[] = [];
  const server: ListedServer = {
    ...{ name: "it", transport, source: "a test" },
    ...{ fingerprint: "f", revision: "r" },
  };
  const told = await askGrants(server, { _meta: { [DENIED]: denied } }, {
    hub: { grant: (...given) => void granted.push(given) },
    codeMode: {
      ...{ servers: [], owner: "ada", audit() {} },
      approve(question) {
        asked.push(question);
        const answer = answers.shift() ?? "declined";
        return answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve(answer);
      },
    },
    approvalMs: 60_000,
    signal: new AbortController().signal,
  });
  return { told, asked, granted };
}

Deno.test("askGrants() grants what the user accepts, to the entry that was called", async () => {
  const denied = [host(1), host(2), host(3)];
  const answers = ["accepted", "declined", "accepted"] as const;
  const { told, asked, granted } = await ask(denied, [...answers]);
  assertEquals(
    asked,
    denied.map((grant) => ({ server: "it", revision: "r", grant })),
  );
  const [[entry, all] = []] = granted as [ListedServer, Denied[]][];
  assertEquals([entry?.name, entry?.revision], ["it", "r"]);
  assertEquals(all, [host(1), host(3)]);
  assertMatch(
    told ?? "",
    /host "1\.test" and the host "3\.test".*call it again/,
  );
});

Deno.test("askGrants() grants nothing without a clear yes, and asks three times at most", async () => {
  const answers = ["declined", "unable", new Error("late"), "accepted"] as (
    | Approval
    | Error
  )[];
  const { told, asked, granted } = await ask([1, 2, 3, 4].map(host), answers);
  assertEquals([told, asked.length, granted], [undefined, 3, []]);
});

Deno.test("askGrants() believes no other server that it was denied something", async () => {
  const { told, asked, granted } = await ask([host(1)], ["accepted"], "stdio");
  assert(told === undefined);
  assertEquals([asked, granted], [[], []]);
});
