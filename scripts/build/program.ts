/**
 * Writes the program into the folder that is named, for `python/hatch_build.py`.
 *
 * @module
 */
import { writeProgram } from "../../src/launcher/bundling/write_program.ts";

await writeProgram(Deno.args[0] ?? "");
