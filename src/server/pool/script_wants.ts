import {
  denied,
  notByName,
  takesNoPackages,
} from "../../requirements/install_errors.ts";
import { messageOf } from "../../errors.ts";
import { canonicalName } from "../../requirements/names.ts";
import { isAllowed, maybeNamed } from "../../requirements/allowed.ts";
import { type OrRefused, refusal } from "./pool.ts";
import type { EngineProfile } from "../../protocol/engine_profile.ts";
import { head } from "../../results/cut.ts";
import type { ScriptMetadata } from "../../requirements/script_metadata.ts";
import {
  MOST_KNOWN,
  type ServedEnvironment,
  type ServerSettings,
} from "../../protocol/server_settings.ts";

const MARKER = /^# \/\/\/ script\s*$/m;

/** What an interpreter has for code. */
interface PackagesOf {
  environment: ServedEnvironment;
  engine: EngineProfile;
}

/** What code asks for by its inline metadata (PEP 723), and whether it may have that. */
export class ScriptWants {
  /** Requirements whose install has given an environment. */
  #asked = new Map<string, Set<string>>();

  constructor(
    private settings: Pick<ServerSettings, "allowInstall" | "engine" | "shell">,
  ) {}

  /** Whether code may have inline metadata; most code has none. */
  mayBeIn(code: string): boolean {
    // The environment of a shell has all that its script asks for.
    return !this.settings.shell && MARKER.test(code);
  }

  /** Notes that the install of requirements has given an environment. */
  noteInstalled(id: string, requirements: readonly string[]): void {
    const asked = this.#asked.get(id) ?? new Set();
    this.#asked.set(id, asked);
    if (asked.size > MOST_KNOWN) asked.clear();
    for (const text of requirements) asked.add(text);
  }

  /** The requirements of code that an environment lacks, all of them allowed. */
  async judge(
    code: string,
    { environment, engine }: PackagesOf,
    more: string[] = [],
  ): Promise<OrRefused<{ missing: string[] }>> {
    const refuse = (status: "install-error" | "denied", reason: string) => ({
      refused: refusal(status, reason),
    });
    // Most code has no metadata, and needs nothing of this.
    const { parseScriptMetadata } = await import(
      "../../requirements/script_metadata.ts"
    );
    const { maybeInRange } = await import(
      "../../requirements/version_range.ts"
    );
    let metadata: ScriptMetadata | undefined;
    try {
      metadata = await parseScriptMetadata(code);
    } catch (error) {
      const reason = messageOf(error);
      return refuse(
        "install-error",
        `Cannot read the metadata of this code: ${reason}`,
      );
    }
    const { python } = environment;
    const { requiresPython, dependencies = [] } = metadata ?? {};
    const fits = maybeInRange(python, requiresPython ?? "");
    if (!fits) {
      const range = head(requiresPython ?? "", 100);
      const reason = fits === undefined
        ? `its requires-python, "${range}", is not a range of versions; write it like ">=3.11"`
        : `it requires Python ${range}, and this is ${python}`;
      return refuse("install-error", `Cannot run this code as ${reason}.`);
    }
    const missing = [...dependencies, ...more].filter((text) =>
      !this.#isInstalled(text, environment, maybeInRange)
    );
    const denial = missing
      .map((text) =>
        environment.id === ""
          ? this.#denyAll(text, engine)
          : this.#maybeDenial(text)
      )
      .find((denial) => denial !== undefined);
    return denial === undefined ? { missing } : refuse("denied", denial);
  }

  #isInstalled(
    text: string,
    { id, packages }: ServedEnvironment,
    maybeInRange:
      typeof import("../../requirements/version_range.ts").maybeInRange,
  ): boolean {
    const named = maybeNamed(text);
    if (!named) return false;
    if (this.#asked.get(id)?.has(named.text)) return true;
    return !named.hasExtras &&
      packages.some(({ name, version }) =>
        canonicalName(name) === named.name &&
        maybeInRange(version, named.specifier)
      );
  }

  /** The reason why an engine without packages gets none. */
  #denyAll(text: string, { label, name }: EngineProfile): string {
    const { engine: first } = this.settings;
    const remedy = name === first.name
      ? "Take it out of the code's metadata."
      : `Leave \`engine\` out of the call: it runs on ${first.label} then.`;
    return takesNoPackages(`"${head(text, 200)}"`, label, remedy);
  }

  /** The reason why a package may not be installed; undefined if it may. */
  #maybeDenial(text: string): string | undefined {
    const { allowInstall } = this.settings;
    const named = maybeNamed(text);
    if (!named) return notByName(head(text, 200));
    if (isAllowed(named.name, allowInstall)) return undefined;
    return denied(text, named.name, allowInstall);
  }
}
