import type { Mutation } from "./mutation.ts";

const TABLE = {
  file: "src/grants/permissions.ts",
  tests: ["src/grants/permissions_test.ts"],
};
const START_WORKER = "src/grants/start_worker.ts";
const WORKERS = ["test/workers_test.ts"];
const WORKER_FLAGS = ["src/grants/start_worker_test.ts"];
const RUNNING = { tests: ["test/permissions_test.ts"], filter: "running:" };
const LAUNCHER = ["test/launcher_test.ts"];
const SPAWN = ["test/spawn_test.ts"];
const FLAGS = {
  file: "src/launcher/flags.ts",
  tests: ["src/launcher/flags_test.ts"],
};
const NET_FLAGS = {
  file: "src/launcher/net_flags.ts",
  tests: ["src/launcher/net_flags_test.ts"],
};
const PLACES = {
  file: "src/launcher/find_scope_paths.ts",
  tests: ["src/launcher/find_scope_paths_test.ts"],
};
const BWRAP = {
  file: "src/launcher/bwrap_flags.ts",
  tests: ["src/launcher/bwrap_flags_test.ts"],
};
const VIEW = {
  file: "src/launcher/bwrap_view.ts",
  tests: ["src/launcher/bwrap_view_test.ts"],
};

/** The table, and its twin in the documentation. */
const ROWS: readonly Mutation[] = [
  {
    ...TABLE,
    name: "the installer may start processes",
    text: `    net: ["any"],`,
    replacement: `    net: ["any"], run: ["any"],`,
  },
  {
    ...TABLE,
    name: "the offline installer has the network",
    text: `  offlineInstaller: {`,
    replacement: `  offlineInstaller: { net: ["any"],`,
  },
  {
    ...TABLE,
    name: "the preloader may write its environment",
    text: `  preloader: {`,
    replacement: `  preloader: { write: ["environment"],`,
  },
  {
    ...TABLE,
    name: "the preloader reads the whole cache",
    text: `  preloader: { read: ["environment",`,
    replacement: `  preloader: { read: ["cache",`,
  },
  {
    ...TABLE,
    name: "the launcher keeps reading",
    text: `  launcher: {`,
    replacement: `  launcher: { read: ["any"],`,
  },
  {
    ...TABLE,
    name: "the server has the network",
    text: `  server: { net: ["listen", "issuer"] }`,
    replacement: `  server: { net: ["any"] }`,
  },
  {
    ...TABLE,
    name: "a sandbox reads every environment",
    text: `read: ["environment", "pyodide", "program", "mounts"]`,
    replacement: `read: ["cache", "pyodide", "program", "mounts"]`,
  },
  {
    ...TABLE,
    name: "a sandbox writes every mount",
    text: `    write: ["writableMounts"],`,
    replacement: `    write: ["mounts"],`,
  },
  {
    ...TABLE,
    name: "a sandbox reaches any host",
    text: `net: ["hosts"]`,
    replacement: `net: ["any"]`,
  },
  {
    ...TABLE,
    name: "a worker has the network",
    text: `  worker: {`,
    replacement: `  worker: { net: ["any"],`,
  },
  {
    ...TABLE,
    name: "a worker reads the environment variables",
    text: `  worker: { read: ["glue", "mounts"],`,
    replacement: `  worker: { read: ["glue", "mounts"], env: ["any"],`,
    tests: WORKERS,
  },
  {
    ...TABLE,
    name: "a worker writes every mount",
    text: `  worker: { read: ["glue", "mounts"], write: ["writableMounts"] }`,
    replacement: `  worker: { read: ["glue", "mounts"], write: ["mounts"] }`,
    tests: WORKERS,
  },
  {
    ...TABLE,
    name: "a kind of permission is not known",
    text: `"sys", `,
    replacement: "",
  },
  {
    ...TABLE,
    name: "an environment counts as granted by the user",
    text: `...["hosts", "mounts", "writableMounts", "sessions"]`,
    replacement: `...["environment", "hosts", "mounts", "writableMounts"]`,
  },
  {
    name: "the documentation's table is wider than the source's",
    file: "docs/security.md",
    text: "| preloader | its environment,",
    replacement: "| preloader | cache,",
    tests: TABLE.tests,
  },
];

/** Workers, each from where it is started. */
const WORKER_STARTS: readonly Mutation[] = [
  {
    name: "workers inherit what their process may do",
    file: START_WORKER,
    text: `deno: { permissions } `,
    replacement: `deno: { permissions: "inherit" } `,
    tests: WORKERS,
    filter: "installer's worker",
  },
  {
    name: "nothing is said of what workers may do",
    file: START_WORKER,
    text: `, deno: { permissions }`,
    replacement: "",
    tests: WORKERS,
    filter: "installer's worker",
  },
  {
    name: "workers have the installer's row of the table",
    file: START_WORKER,
    text: `PERMISSIONS.worker`,
    replacement: `PERMISSIONS.installer`,
    tests: WORKERS,
    filter: "preloader's worker",
  },
  {
    name: "only some kinds of permission are refused to workers by name",
    file: START_WORKER,
    text: `PERMISSION_KINDS.map(`,
    replacement: `PERMISSION_KINDS.slice(0, 2).map(`,
    tests: WORKER_FLAGS,
  },
  {
    name: "a kind of permission without places is an empty list for workers",
    file: START_WORKER,
    text: `paths.length > 0 && paths`,
    replacement: `paths`,
    tests: WORKER_FLAGS,
  },
  {
    name: "the installer's worker inherits what the installer may do",
    file: "src/installer/python_job.ts",
    text: `startWorker(new URL("./worker.ts", import.meta.url), {
    glue: filesOf(files.glue),
  });`,
    replacement:
      `new Worker(new URL("./worker.ts", import.meta.url), { type: "module", deno: { permissions: "inherit" } });`,
    tests: WORKERS,
    filter: "installer's worker",
  },
  {
    name: "a worker keeps the permission to read linked JavaScript",
    file: "src/engines/pyodide/worker/glue.ts",
    text: `  if (urls.file !== undefined) forgetFile(urls.file);\n`,
    replacement: "",
    tests: WORKERS,
    filter: "linked JavaScript",
  },
  {
    name: "the installer's worker may read the machine",
    file: "src/installer/python_job.ts",
    text: `    glue: filesOf(files.glue),`,
    replacement: `    mounts: ["/"],`,
    tests: WORKERS,
    filter: "installer's worker",
  },
  {
    name: "the preloader's worker inherits what the preloader may do",
    file: "src/preloader/import_in_worker.ts",
    text: `startWorker(new URL("./worker.ts", import.meta.url));`,
    replacement:
      `new Worker(new URL("./worker.ts", import.meta.url), { type: "module", deno: { permissions: "inherit" } });`,
    tests: WORKERS,
    filter: "preloader's worker",
  },
  {
    name: "Python's worker inherits what its process may do",
    file: "src/engines/pyodide/host.ts",
    text: `startWorker(new URL(program, import.meta.url), {
    ...mountPlaces(mounts),
    glue: filesOf(glue),
  });`,
    replacement:
      `new Worker(new URL(program, import.meta.url), { type: "module", deno: { permissions: "inherit" } });`,
    tests: WORKERS,
    filter: "Python's worker may do nothing",
  },
  {
    name: "Python's worker with mounts has the network and the environment",
    file: "src/engines/pyodide/host.ts",
    text: `startWorker(new URL(program, import.meta.url), {
    ...mountPlaces(mounts),
    glue: filesOf(glue),
  });`,
    replacement:
      `new Worker(new URL(program, import.meta.url), { type: "module", deno: { permissions: mounts.length === 0 ? "none" : { read: mountPlaces(mounts).mounts, net: true, env: true } } });`,
    tests: WORKERS,
    filter: "Python's worker may read mounts",
  },
  {
    name: "Python's worker may read the machine where it has mounts",
    file: "src/engines/pyodide/host.ts",
    text: `    ...mountPlaces(mounts),\n`,
    replacement: `    ...mountPlaces(mounts), mounts: ["/"],\n`,
    tests: WORKERS,
    filter: "Python's worker may read mounts",
  },
  {
    name: "each mount is writable for Deno",
    file: "src/grants/mounts.ts",
    text: `mounts.filter(({ isWritable }) => isWritable)`,
    replacement: `[...mounts]`,
    tests: WORKERS,
    filter: "Python's worker may read mounts",
  },
  {
    name: "a worker is started past the table",
    file: "src/launcher/kill.ts",
    text: `    process.kill("SIGKILL");`,
    replacement:
      `    process.kill("SIGKILL"); if (0) new Worker(new URL("./x.ts", import.meta.url));`,
    tests: WORKERS,
    filter: "workers and processes are started where",
  },
  {
    name: "a process is started past the table",
    file: "src/launcher/kill.ts",
    text: `    process.kill("SIGKILL");`,
    replacement: `    new Deno.Command("kill", { args: [] }).spawn();`,
    tests: WORKERS,
    filter: "workers and processes are started where",
  },
];

/** Processes: their flags, variables and arguments. */
const PROCESSES: readonly Mutation[] = [
  {
    name: "the launcher keeps its permissions",
    file: "src/launcher/serve.ts",
    text: "  if (environment) await dropPermissions(keptPermissions);\n",
    replacement: "",
    tests: LAUNCHER,
    filter: "may do nothing",
  },
  {
    name: "the launcher keeps its permissions after a late install",
    file: "src/launcher/serve.ts",
    text: "        await dropPermissions(keptPermissions);\n",
    replacement: "",
    tests: LAUNCHER,
    filter: "may do nothing",
  },
  {
    name: "the launcher keeps one permission",
    file: "src/launcher/drop_permissions.ts",
    text: `of PERMISSION_KINDS)`,
    replacement: `of PERMISSION_KINDS.slice(0, -1))`,
    tests: LAUNCHER,
    filter: "may do nothing",
  },
  {
    name: "a sandbox is told all settings, variables of runs included",
    file: "src/launcher/serve.ts",
    text: `argument: { ...sandbox, environment: folder },`,
    replacement: `argument: { ...sandbox, ...settings, environment: folder },`,
    tests: LAUNCHER,
    filter: "hands on no secret",
  },
  {
    name: "a sandbox has no second wall",
    file: "src/launcher/serve.ts",
    text: `wall?.(itsPlaces)`,
    replacement: `undefined`,
    tests: LAUNCHER,
    filter: "second wall",
  },
  {
    ...RUNNING,
    name: "a sandbox makes code from strings, and has a heap without a bound",
    file: "src/launcher/serve.ts",
    text: `flags: sandboxFlags(settings.memoryMiB),`,
    replacement: `flags: [],`,
  },
  {
    ...RUNNING,
    name: "a sandbox's place is the whole cache",
    file: "src/launcher/serve.ts",
    text: `environment: [folder] }`,
    replacement: `environment: places.cache }`,
  },
  {
    ...RUNNING,
    name: "the server is started with a flag that reads all",
    file: "src/launcher/start_server.ts",
    text: `["--conditions=browser"]`,
    replacement: `["--conditions=browser", "--allow-read"]`,
  },
  {
    name: "processes are told settings that their rows do not mark",
    file: "src/settings.ts",
    text: `spec.goesTo?.includes(process)`,
    replacement: `process`,
    tests: ["src/settings_test.ts"],
  },
  {
    name: "every process is open to debuggers",
    file: "src/launcher/spawn.ts",
    text: `inspect ? "--inspect=127.0.0.1:0" : "--quiet"`,
    replacement: `inspect ? "--quiet" : "--inspect=127.0.0.1:0"`,
    tests: ["test/inspect_test.ts"],
  },
  {
    name: "errors of a file of options quote credentials",
    file: "src/cli/options_file.ts",
    text: `hideCredentials(JSON.stringify(value))`,
    replacement: `JSON.stringify(value)`,
    tests: ["src/cli/options_file_test.ts"],
  },
  {
    name: "errors of a file of options quote the file",
    file: "src/cli/options_file.ts",
    text: `.split("\\n")`,
    replacement: `.split("\\0")`,
    tests: ["src/cli/options_file_test.ts"],
  },
  {
    name: "a process fetches what it imports",
    file: "src/launcher/spawn.ts",
    text: `    "--cached-only",\n`,
    replacement: "",
    tests: SPAWN,
  },
  {
    name: "a process has the environment of the launcher",
    file: "src/launcher/spawn.ts",
    text: `clearEnv: true,`,
    replacement: `clearEnv: false,`,
    tests: SPAWN,
  },
  {
    name: "every process knows the proxies",
    file: "src/launcher/spawn.ts",
    text: `...(name === "installer" ? NETWORK : {}),`,
    replacement: `...NETWORK,`,
    tests: SPAWN,
  },
  {
    name: "a sandbox with hosts knows the proxies",
    file: "src/launcher/spawn.ts",
    text: `length ? CERTIFICATES : {}`,
    replacement: `length ? NETWORK : {}`,
    tests: SPAWN,
  },
  {
    name: "every process knows the certificates",
    file: "src/launcher/spawn.ts",
    text:
      `...(places?.hosts?.length || places?.issuer?.length ? CERTIFICATES : {}),`,
    replacement: `...CERTIFICATES,`,
    tests: SPAWN,
  },
  {
    name: "every process has the installer's row of the table",
    file: "src/launcher/spawn.ts",
    text: `PERMISSIONS[name]`,
    replacement: `PERMISSIONS.installer`,
    tests: SPAWN,
  },
  {
    name: "every process has one more variable",
    file: "src/launcher/variables.ts",
    text: `["DENO_DIR", "HOME", "XDG_CACHE_HOME"]`,
    replacement: `["DENO_DIR", "HOME", "XDG_CACHE_HOME", "SECRET"]`,
    tests: SPAWN,
  },
  {
    name: "what has certificates has the proxies",
    file: "src/launcher/variables.ts",
    text: `...maybeCertificate(),`,
    replacement: `...maybeCertificate(), ...pick(["HTTPS_PROXY"]),`,
    tests: SPAWN,
  },
  {
    name: "credentials are arguments of the installer",
    file: "src/launcher/installing/run_installer.ts",
    text: "spawn(name, { places,",
    replacement: "spawn(name, { places, argument: order,",
    tests: ["test/credentials_test.ts"],
    filter: "command line",
  },
  {
    name: "packages are imported for the first time without the second wall",
    file: "src/launcher/installing/run_installer.ts",
    text: `          wall: wall?.(itsPlaces),\n`,
    replacement: "",
    tests: ["test/second_wall_test.ts"],
  },
  {
    name:
      "the preloader makes code from strings, and has a heap without a bound",
    file: "src/launcher/installing/run_preloader.ts",
    text: `    flags: sandboxFlags(PRELOADER_MIB),\n`,
    replacement: "",
    tests: SPAWN,
    filter: "runPreloader()",
  },
];

/** How rows become flags. */
const ROW_FLAGS: readonly Mutation[] = [
  {
    ...FLAGS,
    name: "a process may ask for permissions at a terminal",
    text: `["--no-prompt"]`,
    replacement: `["--quiet"]`,
  },
  {
    ...FLAGS,
    name: "a path with a comma opens two",
    text: `if (!path.includes(",")) return path;`,
    replacement: `return path;`,
  },
  {
    ...FLAGS,
    name: "a scope without a place opens something",
    text: `if (paths.length === 0) {`,
    replacement: `if (paths.length < 0) {`,
  },
  {
    ...FLAGS,
    name: "a scope that no user grants may be nowhere",
    text: `GRANTED.includes(scope) &&`,
    replacement: `true &&`,
  },
  {
    ...FLAGS,
    name: "a place opens all of its kind",
    text: '`--allow-${kind}=${paths.join(",")}`',
    replacement: "`--allow-${kind}`",
  },
  {
    ...FLAGS,
    name: "code is made from strings",
    text: `    "--disallow-code-generation-from-strings",\n`,
    replacement: "",
  },
  {
    ...FLAGS,
    name: "the heap has no bound",
    text: "    `--max-old-space-size=${heapMiB}`,\n",
    replacement: "",
  },
  {
    ...FLAGS,
    name: "the heap's bound is that of Python's memory",
    text: `memoryMiB / 2`,
    replacement: `memoryMiB`,
  },
  {
    ...NET_FLAGS,
    name: "addresses of this machine are not denied",
    text: `closedRanges(ownRanges,`,
    replacement: `closedRanges([],`,
  },
  {
    ...NET_FLAGS,
    name: "loopback of IPv6 is not denied",
    text: `["[::1]", "[::]"]`,
    replacement: `["[::]"]`,
  },
  {
    ...NET_FLAGS,
    name: "the address of IPv6 that is any of this machine is not denied",
    text: `["[::1]", "[::]"]`,
    replacement: `["[::1]"]`,
  },
  {
    ...NET_FLAGS,
    name: "a granted address of IPv6 opens the others of this machine",
    text: `!named.includes(one) &&`,
    replacement: `named.length === 0 &&`,
  },
  {
    ...PLACES,
    name: "an environment's place is the cache",
    text: `environment: [],`,
    replacement: `environment: [cache],`,
  },
  {
    ...PLACES,
    name: "the program's place is its whole project",
    text: `["../../src", "../../deps"]`,
    replacement: `["../.."]`,
  },
  {
    ...PLACES,
    name: "a Pyodide with a comma in its path opens two",
    text: `of [pyodide, ...program])`,
    replacement: `of program)`,
  },
];

/** The second wall. */
const SECOND_WALL: readonly Mutation[] = [
  ...[
    ["shares its namespaces", `"--unshare-all", `],
    ["may be in the user namespace of the host", `"--unshare-user", `],
    ["may be in the cgroups of the host", `, "--unshare-cgroup"`],
    ["knows the name of the host", `    ...["--hostname", "sandbox"],\n`],
    ["outlives the launcher", `"--die-with-parent", `],
    ["has the terminal of the launcher", `, "--new-session"`],
    ["has capabilities", `    ...["--cap-drop", "ALL"],\n`],
    ["has the environment of the launcher", `    "--clearenv",\n`],
    ["may write into its root folder", `"--remount-ro", "/", `],
  ].map(([name = "", text = ""]) => ({
    ...BWRAP,
    name: `behind the second wall a process ${name}`,
    text,
    replacement: "",
  })),
  {
    ...BWRAP,
    name: "behind the second wall a process has the network",
    text: `network ? ["--share-net"] : []`,
    replacement: `["--share-net"]`,
  },
  {
    ...BWRAP,
    name: "behind the second wall a process may write what it sees",
    text: `"--ro-bind"`,
    replacement: `"--bind"`,
  },
  {
    ...BWRAP,
    name: "behind the second wall a folder covers what is within",
    text: `depthOf(one) - depthOf(other)`,
    replacement: `depthOf(other) - depthOf(one)`,
  },
  {
    ...VIEW,
    name: "the second wall opens the network without a grant",
    text: `hosts.length > 0`,
    replacement: `hosts.length >= 0`,
  },
  {
    ...VIEW,
    name: "the second wall lets every mount be written",
    text: `writable: writableMounts,`,
    replacement: `writable: mounts,`,
  },
  {
    ...VIEW,
    name: "the second wall shows what names are resolved by without a grant",
    text: `isOnline ? network.paths : []`,
    replacement: `network.paths`,
  },
  {
    ...VIEW,
    name: "the second wall lets the certificates' variables in without a grant",
    text: `isOnline ? network.variables : {}`,
    replacement: `network.variables`,
  },
  {
    name: "the second wall lets all variables in",
    file: "src/launcher/isolation.ts",
    text: `variables: { DENO_DIR,`,
    replacement: `variables: { ...Deno.env.toObject(), DENO_DIR,`,
    tests: LAUNCHER,
    filter: "second wall",
  },
  {
    name: "the second wall shows the configuration of the machine",
    file: "src/launcher/isolation.ts",
    text: `paths: [...libraryFolders(),`,
    replacement: `paths: ["/etc", ...libraryFolders(),`,
    tests: LAUNCHER,
    filter: "second wall",
  },
  {
    name: "the second wall shows all packages that Deno has cached",
    file: "src/launcher/program_files.ts",
    text:
      "...packageFolders(lockFile).map((folder) => join(PACKAGES, folder)),",
    replacement: "PACKAGES,",
    tests: LAUNCHER,
    filter: "second wall",
  },
  {
    name: "the second wall shows all that Deno has cached",
    file: "src/launcher/program_files.ts",
    text: `...[Deno.execPath(), beside("deno.json"), lockFile],`,
    replacement:
      `...[Deno.execPath(), beside("deno.json"), lockFile, DENO_DIR],`,
    tests: LAUNCHER,
    filter: "second wall",
  },
  {
    name: "a second wall that is wanted and absent is done without",
    file: "src/launcher/isolation.ts",
    text: `if (isolation === "auto") {`,
    replacement: `if (isolation !== "none") {`,
    tests: ["test/isolation_test.ts"],
    filter: "where there is no bwrap",
  },
  {
    name: "a second wall that does not work is taken for one",
    file: "src/launcher/isolation.ts",
    text: `if (reason !== undefined) {`,
    replacement: `if (reason === "") {`,
    tests: ["test/isolation_test.ts"],
    filter: "where bwrap does not work",
  },
];

/** What each process may do. */
export const PERMISSIONS: readonly Mutation[] = [
  ...ROWS,
  ...WORKER_STARTS,
  ...PROCESSES,
  ...ROW_FLAGS,
  ...SECOND_WALL,
];
