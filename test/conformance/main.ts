/**
 * Runs the official conformance suite, and writes docs/conformance.md:
 * `deno task conformance`.
 *
 * @module
 */
import { log } from "../../src/log.ts";
import { startHttp } from "../support/http_server.ts";
import { startFixture } from "./fixture_server.ts";
import { findFaults, type Results, toPage, type Verdicts } from "./page.ts";
import { runSuite } from "./suite.ts";

export const PAGE = new URL("../../docs/conformance.md", import.meta.url);

/** Judges the fixture and the product, in both eras. */
export async function judge(): Promise<Results> {
  const [fixture, product] = await Promise.all([
    judgeFixture(),
    judgeProduct(),
  ]);
  return { fixture, product };
}

async function judgeFixture(): Promise<Verdicts> {
  const fixture = await startFixture();
  try {
    return await judgeServer(fixture.url);
  } finally {
    await fixture.close();
  }
}

async function judgeProduct(): Promise<Verdicts> {
  await using product = await startHttp();
  return await judgeServer(product.url);
}

async function judgeServer(url: URL): Promise<Verdicts> {
  const [early, later] = await Promise.all([
    runSuite(url, "2025-11-25"),
    runSuite(url, "2026-07-28"),
  ]);
  return { "2025-11-25": early, "2026-07-28": later };
}

if (import.meta.main) {
  const results = await judge();
  await Deno.writeTextFile(PAGE, toPage(results));
  const faults = findFaults(results);
  for (const fault of faults) log(fault);
  Deno.exitCode = faults.length > 0 ? 1 : 0;
}
