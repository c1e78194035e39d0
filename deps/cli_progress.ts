/**
 * Bars on a terminal: it knows how to draw several of them below lines of text,
 * which is all that is used of it.
 *
 * @module
 */
// @ts-types="./cli_progress_module.d.ts"
export { MultiBar, type SingleBar } from "cli-progress";
