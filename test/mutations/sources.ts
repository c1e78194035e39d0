import type { Mutation } from "./mutation.ts";

const STORE = ["src/installer/wheel_store_test.ts"];
const NETWORK = ["src/installer/downloads_test.ts"];
const ORIGINS = ["src/environments/origins_test.ts"];
const OFFERED = ["src/installer/offered_test.ts"];
const JOB = ["src/installer/python_job_test.ts"];
const OFFLINE = ["test/offline_test.ts"];
const OWN_FAULTS = ["test/own_faults_of_phase_1_test.ts"];

/** Where packages come from, and what is believed of that. */
export const SOURCES: readonly Mutation[] = [
  {
    name: "every wheel in the cache is of every source",
    file: "src/installer/offered.ts",
    text: "origins.includes(id)",
    replacement: "true",
    tests: OFFERED,
  },
  {
    name: "every wheel in the cache is pinned",
    file: "src/installer/offered.ts",
    text: "hashes.includes(sha256)",
    replacement: "true",
    tests: OFFERED,
  },
  {
    name: "no wheel in the cache is pinned",
    file: "src/launcher/installing/install_order.ts",
    text: "found.map((hash) => hash.toLowerCase())",
    replacement: "found.slice(0, 0)",
    tests: ["src/launcher/installing/install_order_test.ts"],
  },
  {
    name: "the credentials of a source are a part of its id",
    file: "src/environments/origins.ts",
    text: 'const { url } = withoutCredentials(address ?? "");',
    replacement: 'const url = address ?? "";',
    tests: ORIGINS,
  },
  {
    name: "a source's id is its address",
    file: "src/environments/origins.ts",
    text: "return sha256(JSON.stringify([kind, same]));",
    replacement: 'return `${kind} ${same.replaceAll("/", "_")}`;',
    tests: ORIGINS,
  },
  {
    name: "a distribution and an index are one source",
    file: "src/environments/origins.ts",
    text: "[kind, same]",
    replacement: "[same]",
    tests: ORIGINS,
  },
  {
    name: "the resolver may note any source",
    file: "src/installer/wheel_store.ts",
    text: " && this.#options.origins.includes(origin)",
    replacement: "",
    tests: STORE,
  },
  {
    name: "a wheel that is found is not noted",
    file: "src/installer/wheel_store.ts",
    text: "await noteOrigin(join(this.#folder, stored.sha256), origin);",
    replacement:
      "if (!wheel.sha256) await noteOrigin(join(this.#folder, stored.sha256), origin);",
    tests: STORE,
  },
  {
    name: "offline, a project is taken from each index that has it",
    file: "src/installer/resolver/sources.py",
    text: `class CachedIndex(Folder):
    """The wheels of a package index in the cache; stands for the index offline."""

    has_last_word = True`,
    replacement: `class CachedIndex(Folder):
    """The wheels of a package index in the cache; stands for the index offline."""

    has_last_word = False`,
    tests: OFFLINE,
    filter: "own sources",
  },
  {
    name: "offline, each index has the wheels of all",
    file: "src/installer/resolver/sources.py",
    text: 'one["cached"])',
    replacement:
      '[file for each in order["indexes"] for file in each["cached"]])',
    tests: OFFLINE,
    filter: "own sources",
  },
  {
    name: "the notes on a wheel that is gone stay",
    file: "src/environments/prune.ts",
    text: "!left.has(sha256)",
    replacement: "left.has(sha256)",
    tests: ["src/environments/prune_test.ts"],
  },
  {
    name: "notes are removed while an install goes on",
    file: "src/environments/prune.ts",
    text: "if (this.#rules.isQuiet) await this.#removeNotes",
    replacement: "await this.#removeNotes",
    tests: ["src/environments/prune_test.ts"],
  },
  {
    name: "a download may have any hash",
    file: "src/installer/write_wheel.ts",
    text: "expected && sha256 !== expected",
    replacement: "false",
    tests: STORE,
  },
  {
    name: "a download may be of any size",
    file: "src/installer/write_wheel.ts",
    text: "received > most",
    replacement: "false",
    tests: STORE,
  },
  {
    name: "an index says how large a download may be",
    file: "src/installer/write_wheel.ts",
    text: "Math.min(total ?? LARGEST_WHEEL, LARGEST_WHEEL)",
    replacement: "total ?? LARGEST_WHEEL",
    tests: ["src/installer/write_wheel_test.ts"],
  },
  {
    name: "an index may give any hash",
    file: "src/installer/resolver/sources.py",
    text: "sha256 and not SHA256.fullmatch(sha256) or",
    replacement: "",
    tests: ["src/installer/resolver/wheels_test.ts"],
  },
  {
    name: "a wheel may pass for another of its address",
    file: "src/installer/wheel_store.ts",
    text: 'return `${sha256 ?? ""} ${url}`;',
    replacement: "return url;",
    tests: STORE,
  },
  {
    name: "a wheel in the cache may have any hash",
    file: "src/installer/wheel_store.ts",
    text: "sha256(body) === stored.sha256",
    replacement: "true",
    tests: STORE,
  },
  {
    name: "a failed download leaves its draft",
    file: "src/installer/wheel_store.ts",
    text: "await Deno.remove(draft).catch(() => {});",
    replacement: "",
    tests: STORE,
  },
  {
    name: "a wheel's name may be a path",
    file: "src/environments/parse_installer_messages.ts",
    text: "/^[A-Za-z0-9_][A-Za-z0-9_.+!-]*\\.(whl|zip)$/",
    replacement: "/./",
    tests: JOB,
  },
  {
    name: "a wheel's hash may be a path",
    file: "src/environments/parse_installer_messages.ts",
    text: "/^[0-9a-f]{64}$/",
    replacement: "/./",
    tests: JOB,
  },
  {
    name: "what the resolver says is not read",
    file: "src/installer/python_job.ts",
    text: "parseFromInstallWorker(data)",
    replacement: "Object(data)",
    tests: JOB,
  },
  {
    name: "a resolver that breaks between calls is waited for",
    file: "src/installer/python_job.ts",
    text: "Promise.race([broken.promise, answer.promise])",
    replacement: "answer.promise",
    tests: JOB,
    filter: "no event",
  },
  {
    name: "an answer that is not read goes on",
    file: "src/installer/downloads.ts",
    text: `        patience.end();
        await cancel(body);`,
    replacement: "        patience.end();",
    tests: NETWORK,
    filter: "not read",
  },
  {
    name: "the timer of an answer goes on",
    file: "src/installer/downloads.ts",
    text: `        patience.end();
        await cancel(body);`,
    replacement: "        await cancel(body);",
    tests: NETWORK,
  },
  {
    name: "the store does not end an answer",
    file: "src/installer/wheel_store.ts",
    text: "await using answer",
    replacement: "const answer",
    tests: STORE,
  },
  {
    name: "a page may be larger than it was asked to be",
    file: "src/installer/downloads.ts",
    text: "Math.min(most, LARGEST_PAGE)",
    replacement: "LARGEST_PAGE",
    tests: NETWORK,
  },
  {
    name: "the resolver says how large a page may be",
    file: "src/installer/downloads.ts",
    text: "Math.min(most, LARGEST_PAGE)",
    replacement: "most",
    tests: NETWORK,
  },
  {
    name: "offline, the web is asked",
    file: "src/installer/downloads.ts",
    text: 'if (!credentials) throw new Error("--offline forbids it");',
    replacement: "credentials ??= [];",
    tests: NETWORK,
  },
  {
    name: "addresses of all kinds are opened",
    file: "src/installer/downloads.ts",
    text: "!/^https?:$/.test(address.protocol)",
    replacement: "false",
    tests: NETWORK,
  },
  {
    name: "credentials go to every host",
    file: "src/installer/downloads.ts",
    text: "credentials.find((one) => one.host === hostname)",
    replacement: "credentials[0]",
    tests: NETWORK,
  },
  {
    name: "credentials go where a redirect leads",
    file: "src/installer/downloads.ts",
    text: `    const response = await fetch(address, {
      ...request,
      signal: patience.signal,
    });`,
    replacement: `    let response = await fetch(address, {
      ...request,
      signal: patience.signal,
      redirect: "manual",
    });
    const location = response.headers.get("location");
    if (location) {
      await response.body?.cancel();
      response = await fetch(new URL(location, address), request);
    }`,
    tests: NETWORK,
  },
  {
    name: "https may lead to http",
    file: "src/installer/downloads.ts",
    text: 'address.protocol === "https:" && ',
    replacement: "false && ",
    tests: ["test/network_test.ts"],
    filter: "a certificate",
  },
  {
    name: "a try more than there should be",
    file: "src/installer/retry.ts",
    text: "const TRIES = 3;",
    replacement: "const TRIES = 4;",
    tests: ["src/installer/retry_test.ts"],
  },
  {
    name: "what will not be better is tried again",
    file: "src/installer/retry.ts",
    text: "LASTING.test(troubleOf(error))",
    replacement: "false",
    tests: ["src/installer/retry_test.ts"],
  },
  {
    name: "a full disk is tried again",
    file: "src/installer/retry.ts",
    text: "error instanceof CacheError",
    replacement: "false",
    tests: ["src/installer/retry_test.ts"],
  },
  {
    name: "an environment keeps the credentials in a wheel's address",
    file: "src/installer/install_packages.ts",
    text: "const { url } = withoutCredentials(one.url);",
    replacement: "const { url } = one;",
    tests: ["test/credentials_test.ts"],
    filter: "that others wrote",
  },
  {
    name: "a lock file keeps the credentials in a wheel's address",
    file: "src/installer/resolver.ts",
    text: "withoutCredentials(one.url).url",
    replacement: "one.url",
    tests: ["test/credentials_test.ts"],
    filter: "that others wrote",
  },
  {
    name: "the resolver sees an index's credentials",
    file: "src/launcher/installing/install_order.ts",
    text: ".map((url) => url === null ? { url } : withoutCredentials(url));",
    replacement: ".map((url) => ({ url }));",
    tests: ["src/launcher/installing/install_order_test.ts"],
  },
  {
    name: "the resolver sees a requirement's credentials",
    file: "src/launcher/installing/install_order.ts",
    text: "requirements: requirements.map(({ text }) => text),",
    replacement: "requirements: dependencies,",
    tests: ["src/launcher/installing/install_order_test.ts"],
  },
  {
    name: "a call's code may name a hash",
    file: "src/requirements/allowed.ts",
    text: "[^@;/:]",
    replacement: "[^@;/]",
    tests: ["src/requirements/allowed_test.ts"],
  },
  {
    name: "an installer is silent while packages are imported",
    file: "src/launcher/installing/run_installer.ts",
    text:
      `      // The installer is silent while the launcher runs a preloader for it.
      clearTimeout(silence);`,
    replacement: `      clearTimeout(silence);
      silence = setTimeout(onSilence, silenceMs);`,
    tests: ["test/faults_test.ts"],
    filter: "imported without end",
  },
  {
    name: "a preloader has all the time it wants",
    file: "src/launcher/installing/run_preloader.ts",
    text: "}, limitMs);",
    replacement: "}, LONGEST_MS);",
    tests: ["src/launcher/installing/run_preloader_test.ts"],
  },
  {
    name: "a snapshot may be cut short",
    file: "src/installer/preload_result.ts",
    text: "line === WELL || !answer.index",
    replacement: "true",
    tests: ["src/installer/preload_result_test.ts"],
  },
  {
    name: "an installer that cannot read what it is told ends without a word",
    file: "src/installer/main.ts",
    text: "receive().then(() => Deno.exit(1), fail);",
    replacement: "receive().finally(() => Deno.exit(1));",
    tests: OWN_FAULTS,
  },
  {
    name: "an installer that fails ends as one that did not",
    file: "src/installer/main.ts",
    text: "Deno.exit(EXIT.failure);",
    replacement: "Deno.exit(EXIT.ok);",
    tests: OWN_FAULTS,
  },
  {
    name: "a preloader that fails ends without a word",
    file: "src/preloader/main.ts",
    text: "await say({ preloaded: toFailure(error) });",
    replacement: "",
    tests: OWN_FAULTS,
  },
];
