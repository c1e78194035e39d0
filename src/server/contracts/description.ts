import { ANY_HOST } from "../../grants/hosts.ts";
import type { EngineProfile } from "../../protocol/engine_profile.ts";
import {
  enginesOf,
  type ServedEnvironment,
  type ServerSettings,
} from "../../protocol/server_settings.ts";
import { PACKAGES_URI } from "../files/resources.ts";

/** Describes `run_python_code` to a model. */
export function describe(settings: ServerSettings): string {
  const { environment, expected, allowInstall, allowNet } = settings;
  const names = environment?.packages.map(({ name }) => name) ?? expected;
  const { lacks, always, withPackage, http } = settings.engine.promises;
  return [
    `Runs Python ${
      environment ? `${environment.python} ` : ""
    }code in a sandbox`,
    allowNet.length === 0 ? " without network" : "",
    ", and returns what it printed and the value of its last expression.",
    describeNetwork(allowNet, [
      ...http.modules,
      ...http.packages.filter((name) => names.includes(name)),
    ]),
    ` ${describeFiles(settings)}`,
    ` Python has ${settings.memoryMiB} MiB of memory, and ${lacks}.`,
    ...Object.keys(withPackage).filter((name) => names.includes(name))
      .map((name) => ` ${withPackage[name]}`),
    ...always.map((sentence) => ` ${sentence}`),
    environment ? describePackages(environment) : describeExpected(expected),
    describeInstalls(allowInstall),
    describeEngines(enginesOf(settings)),
  ].join("");
}

function describePackages(
  { packages, requested }: ServedEnvironment,
): string {
  const shown = packages.filter(({ name }) => requested.includes(name))
    .map(({ name, version, imports }) => {
      const isPlain = imports.every((one) => one === name);
      return `${name} ${version}${
        isPlain ? "" : ` (import ${imports.join(", ")})`
      }`;
    });
  if (shown.length === 0) return NO_PACKAGES;
  const rest = shown.length === packages.length
    ? ""
    : ` So are the packages that these need: the resource ${PACKAGES_URI} lists all.`;
  return ` Installed beside the standard library: ${shown.join("; ")}.${rest}`;
}

/** Describes packages that are being installed. */
function describeExpected(expected: string[]): string {
  if (expected.length === 0) return NO_PACKAGES;
  return ` Beside the standard library there will be ${
    expected.join(", ")
  }: the first call waits until all is installed.`;
}

const NO_PACKAGES = " The standard library is there, and no other package.";

/** Names the hosts that code reaches; empty without network. */
export function describeNetwork(hosts: string[], ways: string[]): string {
  if (hosts.length === 0) return "";
  const others = hosts.filter((host) => host !== ANY_HOST);
  const which = hosts.includes(ANY_HOST)
    ? ["any host of the internet", ...others].join(", and ")
    : `these hosts only: ${hosts.join(", ")}`;
  return ` It reaches ${which}; over HTTP and HTTPS, by ${ways.join(", ")}.`;
}

function describeFiles(
  { mounts, fileTools, sessions, stateful }: ServerSettings,
): string {
  const state = stateful
    ? "Variables, imports and files are kept from call to call."
    : sessions
    ? "All else of each call starts from nothing, but in a session."
    : "All else of each call starts from nothing.";
  const tools = fileTools
    ? " write_file, read_file and list_files work there, too."
    : "";
  return `${
    describeMounts(mounts)
  } Files that it writes to /workspace, its working folder, come back.${tools} ${state}`;
}

export function describeMounts(mounts: ServerSettings["mounts"]): string {
  const shared = mounts.map(({ guest, isWritable }) =>
    `${guest} (${isWritable ? "writable" : "read-only"})`
  );
  return mounts.length === 0
    ? "It has no access to the user's files."
    : `Of the user's files it has ${shared.join(", ")}.`;
}

/** Describes the choice of an engine; empty if there is one. */
export function describeEngines(engines: readonly EngineProfile[]): string {
  if (engines.length < 2) return "";
  const choices = engines.map(({ name, label, promises: { choice = label } }) =>
    `"${name}" is ${choice}`
  );
  return ` The argument engine chooses the interpreter: ${choices.join("; ")}.`;
}

function describeInstalls(allowed: string[]): string {
  if (allowed.length === 0) return "";
  const [which, example] = allowed.includes("*")
    ? ["Any package of the index", "rich"]
    : [`Of the index ${allowed.join(", ")}`, allowed[0]];
  return ` ${which} can be had by code that begins with inline script metadata, such as:\n# /// script\n# dependencies = ["${example}"]\n# ///`;
}
