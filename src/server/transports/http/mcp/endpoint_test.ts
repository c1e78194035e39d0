import { assertEquals } from "../../../../../deps/assert.ts";
import { OwnerEvents } from "./endpoint.ts";

Deno.test("OwnerEvents tells an owner of its own, all of what is for all, and nothing after the end", () => {
  const events = new OwnerEvents();
  const heard: string[] = [];
  const [leave] = ["ada", "grace"].map((owner) =>
    events.serve(
      { name: owner, isKnown: true },
      () => events.subscribe(({ kind }) => void heard.push(`${owner} ${kind}`)),
    )
  );
  events.publish({ kind: "resources_list_changed" }, "ada");
  events.publish({ kind: "tools_list_changed" });
  leave?.();
  events.publish({ kind: "tools_list_changed" });
  assertEquals(heard, [
    "ada resources_list_changed",
    "ada tools_list_changed",
    "grace tools_list_changed",
    "grace tools_list_changed",
  ]);
});
