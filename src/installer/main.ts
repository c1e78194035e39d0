// Phase 1, as a process of its own: it may fetch, and write the cache. A worker
// without permissions chooses and unpacks packages.
import { failed } from "../requirements/install_errors.ts";
import { join } from "node:path";
import { detailsOf, EXIT, reasonOf, UserError } from "../errors.ts";
import type { Installed } from "../protocol/server_settings.ts";
import { log, print } from "../log.ts";
import { INSTALLER_LINE } from "../protocol/bounds.ts";
import { decodePacket, type Packet, readPackets } from "../protocol/packets.ts";
import { Queue } from "../protocol/channel.ts";
import { type Base, ensureBase } from "./base.ts";
import { inCache } from "../environments/in_cache.ts";
import type { Environment } from "../environments/environment.ts";
import {
  chooseEnvironment,
  installPackages,
  type PreloadResult,
  readPreloadResult,
} from "./install_packages.ts";
import { lockEnvironment, shareCaches } from "../environments/file_locks.ts";
import {
  cachesOf,
  foldersOf,
  maybeOpenOneOf,
  noteResolved,
  wantedFolders,
} from "../environments/wanted_environment.ts";
import type {
  FromInstaller,
  InstallEvent,
  InstallOrder,
  PreloadWanted,
} from "../environments/phase_1/messages.ts";
import { openResolver } from "./resolver.ts";

const packets = new Queue<Packet>();
// Standard input ends when the launcher is gone.
receive().then(() => Deno.exit(1), fail);
const order = await packets.next()
  .then((packet) => decodePacket(packet) as InstallOrder).catch(fail);

let ensured: Promise<Base> | undefined;
/** Only an install that finds no environment needs it. */
const base = () => ensured ??= ensureBase(order, report);

try {
  // A cache that cannot be written fails now, not after seconds of work.
  await inCache(
    order,
    () => Deno.mkdir(join(order.cacheDir, "environments"), { recursive: true }),
  );
  using _caches = await shareCaches(cachesOf(order));
  if (order.task === "install") {
    say({ type: "done", installed: await install() });
  } else {
    using resolver = await openResolver(order, base, report);
    say(
      order.task === "plan"
        ? { type: "done", plan: await resolver.plan() }
        : { type: "done", sources: await resolver.probe() },
    );
  }
} catch (error) {
  fail(error);
}
Deno.exit(0);

async function install(): Promise<Installed> {
  // `ensureBase()` locks the base itself.
  using _lock = order.request === undefined
    ? undefined
    : await lockInstall(order.request);
  // Another process may have installed it meanwhile.
  const { folder, python, requested, packages } =
    maybeOpenOneOf(wantedFolders(order)) ?? await makeEnvironment();
  return { folder, python, requested, packages };
}

async function makeEnvironment(): Promise<Environment> {
  if (order.request === undefined) return (await base()).environment;
  using resolver = await openResolver(order, base, report);
  const chosen = await chooseEnvironment(order, resolver);
  using _lock = await lockInstall(chosen.id);
  const folders = foldersOf(order, chosen.id);
  const environment = maybeOpenOneOf(folders) ??
    await installPackages(order, await base(), resolver, chosen, {
      report,
      preload,
    });
  await noteResolved(order.cacheDir, order.request, chosen.id)
    // The note saves time only; a cache that takes none fails no install.
    .catch(() => {});
  return environment;
}

function lockInstall(id: string): Promise<Disposable> {
  const text = "Waiting for another start that installs the same packages";
  const onWait = () => report({ type: "step", text });
  return lockEnvironment(order.cacheDir, id, { onWait });
}

async function receive(): Promise<void> {
  const most = { line: INSTALLER_LINE, body: INSTALLER_LINE };
  for await (const packet of readPackets(Deno.stdin.readable, most)) {
    packets.push(packet);
  }
}

/** Asks the launcher to import packages, in a process that can write nothing. */
async function preload(wanted: PreloadWanted): Promise<PreloadResult> {
  say({ type: "preload", wanted });
  return await readPreloadResult(packets, wanted);
}

function report(event: InstallEvent): void {
  say({ type: "event", event });
}

function fail(error: unknown): never {
  if (!(error instanceof UserError)) {
    log(detailsOf(error));
    return fail(new UserError(failed(reasonOf(error))));
  }
  const { message, exitCode } = error;
  say({ type: "error", message, exitCode });
  Deno.exit(EXIT.failure);
}

function say(message: FromInstaller): void {
  print(`${JSON.stringify(message)}\n`);
}
