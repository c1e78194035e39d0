import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { ENVIRONMENT } from "../../../test/support/fake_pool.ts";
import type { InstallAnswer } from "../../protocol/server_settings.ts";
import { Share } from "../../shares.ts";
import { Installs } from "./installs.ts";

const DAY = 24 * 60 * 60 * 1000;

function open() {
  const environments = new Share(4);
  const clock = { time: 0 };
  const asked: string[][] = [];
  const installs = new Installs(
    (requirements) => {
      asked.push(requirements);
      const [name = ""] = requirements;
      if (name === "none") return Promise.resolve({ error: "not found" });
      // Spellings of a package give one environment.
      const id = name.replace(/[<>].*/, "");
      return Promise.resolve({ installed: { ...ENVIRONMENT, id } });
    },
    { installs: new Share(9), environments },
    1000,
    () => true,
    () => clock.time,
  );
  const ask = async (name: string, caller: string) =>
    JSON.stringify(await installs.wait([name], { client: [caller, ""] }));
  return { ask, asked, clock, environments };
}

Deno.test("Installs lets no caller have more than half of the environments of a day made, though no other has asked", async () => {
  const { ask, asked, clock, environments } = open();
  for (const name of ["a", "b"]) {
    assertMatch(await ask(name, "greedy"), /"installed"/);
  }
  assertMatch(
    await ask("c", "greedy"),
    /"install-error".*2 environments were made for calls within 24 hours/,
  );
  assertMatch(await ask("a", "greedy"), /"installed"/);
  for (const name of ["d", "e"]) {
    assertMatch(await ask(name, "ada"), /"installed"/);
  }
  assertMatch(await ask("f", "bob"), /"install-error"/);
  assertEquals(asked.flat(), ["a", "b", "d", "e"]);
  clock.time = DAY + 1;
  assertMatch(await ask("f", "bob"), /"installed"/);
  assertMatch(await ask("c", "greedy"), /"installed"/);
  assertEquals(environments.status.used, 4);
});

Deno.test("Installs has a call wait on that no request waits for", async () => {
  const end = Promise.withResolvers<InstallAnswer>();
  const installs = new Installs(
    () => end.promise,
    { installs: new Share(9), environments: new Share(9) },
    1,
  );
  const wait = (isDetached: boolean) =>
    installs.wait(["a"], { isDetached: () => isDetached });
  const detached = wait(true);
  const { refused } = await wait(false);
  assertEquals(refused?.status, "busy");
  end.resolve({ installed: ENVIRONMENT });
  assertEquals((await detached).ended, { installed: ENVIRONMENT });
});

Deno.test("Installs counts an environment once, and none that was not made", async () => {
  const { ask, environments } = open();
  const used: number[] = [];
  for (const name of ["none", "a", "a>1", "a<3", "none", "b"]) {
    await ask(name, "ada");
    used.push(environments.status.used);
  }
  assertEquals(used, [0, 1, 1, 1, 1, 2]);
});
