// The command, with the toy engine among its engines: `--engine toy`.
import { ENGINES } from "../../../src/engines/index.ts";
import { TOY } from "./row.ts";

Array.prototype.push.call(ENGINES, TOY);
// What is loaded from here on finds it in the list.
const { main } = await import("../../../src/cli/main.ts");
const { takeConstants } = await import("../constants.ts");
Deno.exit(await main(takeConstants(Deno.args)));
