import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { Log } from "../../protocol/log_lines.ts";
import { BrokerStore } from "./session_store.ts";

const KEY = "0".repeat(32);
const META = {
  ...{ owner: "ada", environment: "e1", created: 1, used: 2, runs: 3 },
};

Deno.test("BrokerStore waits for no store that stands still", async () => {
  const lines: string[] = [];
  const log = new Log(
    { logLevel: "warning", logFormat: "text" },
    (line) => void lines.push(new TextDecoder().decode(line)),
  );
  const asked: string[] = [];
  const store = new BrokerStore({
    log,
    askStore({ type }) {
      asked.push(type);
      return new Promise(() => {});
    },
  }, 1);
  const write = () => Promise.resolve(true);
  for (let times = 0; times < 5; times++) {
    assertEquals(await store.save(KEY, META, write), false);
    assertEquals(await store.load(KEY, "e1"), undefined);
  }
  assertEquals(asked.length, 15);
  assertEquals(lines.length, 10);
  for (const line of lines) assertMatch(line, /does not answer within 1 ms/);
});
