import { assert, assertEquals, assertRejects } from "../../../deps/assert.ts";
import { Driven } from "./driven.ts";
import { requirePython } from "./install.ts";
import { PROGRAMS } from "./programs.ts";

Deno.test("Driven times calls of a kept interpreter, which gives each program's answer", async () => {
  const installed = { python: await requirePython(), folder: "" };
  await using plain = new Driven("plain", installed);
  const { run } = plain.mode("kept", 2);
  for (const program of PROGRAMS) {
    const outcomes = await run(program, 2);
    assertEquals(
      outcomes.map(({ answer }) => answer),
      [program.answer, program.answer],
    );
    assert(outcomes.every(({ wallMs }) => wallMs > 0));
  }
  await assertRejects(
    () => run({ name: "", code: "", value: "1 / 0", answer: "" }, 1),
    /cannot run: division by zero/,
  );
});
