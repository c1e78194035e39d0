import type { Mutation } from "./mutation.ts";

const CREDENTIALS = {
  file: "src/requirements/credentials.ts",
  tests: ["src/requirements/credentials_test.ts"],
};
const HIDDEN = {
  file: "src/requirements/hide_credentials.ts",
  tests: ["src/requirements/hide_credentials_test.ts"],
};
const IDENTITY = {
  file: "src/launcher/installing/request_id.ts",
  tests: ["src/launcher/installing/request_id_test.ts"],
};
const ORDER = {
  file: "src/launcher/installing/install_order.ts",
  tests: ["src/launcher/installing/request_id_test.ts"],
};
const ENVIRONMENT = {
  file: "src/environments/environment.ts",
  tests: ["src/environments/environment_test.ts"],
};
const WANTED = {
  file: "src/environments/wanted_environment.ts",
  tests: ["src/environments/wanted_environment_test.ts"],
};
const DRAFTS = {
  file: "src/environments/drafts.ts",
  tests: ["src/environments/drafts_test.ts"],
};
const LOCKS = {
  file: "src/environments/file_locks.ts",
  tests: ["src/environments/file_locks_test.ts"],
};
const PRUNE = {
  file: "src/environments/prune.ts",
  tests: ["src/environments/prune_test.ts"],
};
const CACHE = {
  file: "src/environments/cache.ts",
  tests: ["src/environments/cache_test.ts", "src/environments/prune_test.ts"],
};
const PARSE = {
  file: "src/environments/parse_installer_messages.ts",
  tests: ["src/environments/parse_installer_messages_test.ts"],
};
const UNPACK = {
  file: "src/installer/resolver/unpack.py",
  tests: ["src/installer/resolver/unpack_test.ts"],
};
const WHEELS = {
  file: "src/installer/resolver/wheels.py",
  tests: ["src/installer/resolver/wheels_test.ts"],
};
const SOURCES = {
  file: "src/installer/resolver/sources.py",
  tests: ["src/installer/resolver/wheels_test.ts"],
};
const LOCKED = {
  file: "src/installer/resolver/locked.py",
  tests: ["src/installer/resolver/wheels_test.ts"],
};
const RESOLVER_START = {
  file: "src/installer/resolver_start.ts",
  tests: ["test/resolver_start_test.ts"],
};
const CALLS = {
  file: "src/launcher/installing/server_installs.ts",
  tests: ["src/launcher/installing/server_installs_test.ts"],
};

/** What the installer may write, and believes. */
export const INSTALLING: readonly Mutation[] = [
  {
    name: "an environment may have links",
    ...ENVIRONMENT,
    text: "some(({ isFile }) => !isFile)",
    replacement: "some(() => false)",
  },
  {
    name: "a call's packages may come before the server's own",
    file: "src/launcher/installing/server_installs.ts",
    text: "if (!folders.has(OWN_ENVIRONMENT)) throw new Error(EARLY);",
    replacement: "",
    tests: ["src/launcher/installing/server_installs_test.ts"],
  },
  {
    name: "any number of calls may wait for packages",
    file: "src/server/pool/installs.ts",
    text: "this.#waiting >= this.limits.waiting",
    replacement: "this.#waiting > Infinity",
    tests: ["src/server/pool/script_pools_test.ts"],
  },
  {
    name: "an address keeps its name and password",
    ...CREDENTIALS,
    text: 'url.username = url.password = "";',
    replacement: "",
  },
  {
    name: "a password alone stays in an address",
    ...CREDENTIALS,
    text: "if (!url?.username && !url?.password)",
    replacement: "if (!url?.username)",
  },
  {
    name: "a name alone stays in an address",
    ...CREDENTIALS,
    text: "if (!url?.username && !url?.password)",
    replacement: "if (!url?.password)",
  },
  {
    name: "credentials are for any port of their host",
    ...CREDENTIALS,
    text: "const { host, username, password } = url;",
    replacement: "const { hostname: host, username, password } = url;",
  },
  {
    name: "a requirement keeps its credentials",
    ...CREDENTIALS,
    text: "return { text: text.replace(address, () => url), ...rest };",
    replacement: "return { text, ...rest };",
  },
  {
    name: "a password is a pattern of replacement",
    ...CREDENTIALS,
    text: "text.replace(address, () => url)",
    replacement: "text.replace(address, address.replace('ada:$&pw@', '$&'))",
  },
  {
    name: "a netrc password is of the machine before",
    ...CREDENTIALS,
    text: 'if (word === "machine") entries',
    replacement: 'if (word === "machine" && entries.length === 0) entries',
  },
  {
    name: "a netrc default is of the machine before",
    ...CREDENTIALS,
    text: 'if (word === "default") entries.push({});',
    replacement: "",
  },
  {
    name: "a netrc comment is read",
    ...CREDENTIALS,
    text: 'text.replace(/^\\s*#.*$/gm, "")',
    replacement: "text",
  },
  {
    name: "a netrc macro is read",
    ...CREDENTIALS,
    text: "(?![^]))/gm",
    replacement: "$)/gm",
  },
  {
    name: "what is printed shows credentials",
    ...HIDDEN,
    text: 'scheme + rest.replace(/^[^/?#\\\\]*@/, "***@")',
    replacement: "scheme + rest",
  },
  {
    name: "what is printed shows credentials of a misspelt URL",
    ...HIDDEN,
    text: 'word.replace(/^.+@/s, "***@")',
    replacement: "word",
  },
  {
    name: "credentials end at the first @",
    ...HIDDEN,
    text: "/^[^/?#\\\\]*@/",
    replacement: "/^[^/?#\\\\@]*@/",
  },
  {
    name: "credentials are hidden in the first URL only",
    ...HIDDEN,
    text: '/[^\\s"]+/g, (word)',
    replacement: '/[^\\s"]+/, (word)',
  },
  {
    name: "a request's id has a requirement's credentials",
    ...IDENTITY,
    text: "canonical(maskRequirement(one).text)",
    replacement: "canonical(one)",
  },
  {
    name: "a request's id has an index's credentials",
    ...IDENTITY,
    text: ".map((url) => withoutCredentials(url).url),",
    replacement: ",",
  },
  {
    name: "a request's id has a distribution's credentials",
    ...IDENTITY,
    text: 'withoutCredentials(settings.dist ?? "").url',
    replacement: 'settings.dist ?? ""',
  },
  {
    name: "requests of two indexes are one",
    ...IDENTITY,
    text: '[settings.indexUrl ?? "", ...settings.extraIndexUrls]',
    replacement: '[settings.indexUrl ?? ""]',
  },
  {
    name: "requests of two lock files are one",
    ...IDENTITY,
    text: "locked?.text ?? null,",
    replacement: "locked?.path ?? null,",
  },
  {
    name: "environments of two Pyodides are one",
    ...IDENTITY,
    text: "[VERSION, version, build, RUNNER]",
    replacement: "[VERSION, version, RUNNER]",
  },
  {
    name: "a wheel that was built anew is the old one",
    ...IDENTITY,
    text: "return `${stat?.size} ${stat?.mtime?.getTime()}`;",
    replacement: 'return "";',
  },
  {
    name: "environments of two wheels are one",
    file: "src/installer/choose_environment.ts",
    tests: ["src/installer/choose_environment_test.ts"],
    text: "[name, version, place, sha256, requested]",
    replacement: "[name, version, place, requested]",
  },
  {
    name: "a sandbox may read what the installer says",
    ...WANTED,
    text: "ID.test(id) && foldersOf(caches, id).includes(folder)",
    replacement: "ID.test(id)",
  },
  {
    name: "a request is resolved to whatever a file says",
    ...WANTED,
    text: "return ID.test(id) ? id : undefined;",
    replacement: "return id || undefined;",
  },
  {
    name: "a mount changes the cache that is only read",
    file: "src/launcher/serve.ts",
    tests: ["test/caches_test.ts"],
    text: "cache: cachesOf(settings)",
    replacement: "cache: [settings.cacheDir]",
  },
  {
    name: "an order's requirements have credentials",
    ...ORDER,
    text: "requirements.map(({ text }) => text)",
    replacement: "dependencies",
  },
  {
    name: "an order's distribution has credentials",
    ...ORDER,
    text: "{ dist: distribution.url }",
    replacement: "{ dist }",
  },
  {
    name: "an order's indexes have credentials",
    ...ORDER,
    text: "indexes: addresses.map(({ url }) => url),",
    replacement: "indexes: [settings.indexUrl, ...settings.extraIndexUrls],",
  },
  {
    name: "an environment without its seal is whole",
    ...ENVIRONMENT,
    text:
      "if (Deno.readTextFileSync(join(folder, SEAL)) !== sha256(text)) return;",
    replacement: "",
  },
  {
    name: "any seal is an environment's",
    ...ENVIRONMENT,
    text: "(folder, SEAL)) !== sha256(text)",
    replacement: '(folder, SEAL)) === "-"',
  },
  {
    name: "an environment's files may have any size",
    ...ENVIRONMENT,
    text: ".size !== size) return;",
    replacement: ".size < 0) return;",
  },
  {
    name: "damage that leaves sizes is not seen",
    ...ENVIRONMENT,
    text: "if (found !== file.sha256) damaged",
    replacement: "if (found.length !== file.sha256.length) damaged",
  },
  {
    name: "the resolver starts from a snapshot that was changed",
    ...RESOLVER_START,
    text: "maybeOpenWhole,",
    replacement: "maybeOpenEnvironment as maybeOpenWhole,",
  },
  {
    name: "environments are made from a base that was changed",
    ...RESOLVER_START,
    file: "src/installer/base.ts",
    text: "maybeOpenWhole,",
    replacement: "maybeOpenEnvironment as maybeOpenWhole,",
  },
  {
    name: "a draft is written where it will be",
    ...ENVIRONMENT,
    text: "this.folder = `${place}.${crypto.randomUUID()}.tmp`;",
    replacement: "this.folder = place;",
  },
  {
    name: "a draft stays that was not published",
    ...ENVIRONMENT,
    text:
      "await Deno.remove(this.folder, { recursive: true }).catch(() => {});",
    replacement: "",
  },
  {
    name: "a draft takes a whole environment's place",
    ...ENVIRONMENT,
    text: "if (maybeOpenEnvironment(folder)) {",
    replacement: "if (false) {",
  },
  {
    name: "who uses a damaged environment loses it",
    ...ENVIRONMENT,
    text:
      "await Deno.rename(join(folder, USED), join(draft, USED)).catch(\n      ignoreAbsent,\n    );",
    replacement: "",
  },
  {
    name: "an environment stays sealed",
    ...ENVIRONMENT,
    text: "await Deno.remove(join(folder, SEAL)).catch(ignoreAbsent);",
    replacement: "",
  },
  {
    name: "drafts go that are being written",
    ...DRAFTS,
    text: "if (Date.now() - Number(mtime) < STALE_MS) return;",
    replacement: "",
  },
  {
    name: "files go whose names are like a draft's",
    ...DRAFTS,
    text: "/^[0-9a-f]{24}\\.[0-9a-f-]{36}\\.(tmp|old)$/",
    replacement: "/[0-9a-f]{24}\\.[0-9a-f-]{36}\\.(tmp|old)/",
  },
  {
    name: "files go whose names are like a wheel draft's",
    ...DRAFTS,
    text: "/^[0-9a-f-]{36}\\.tmp$/",
    replacement: "/[0-9a-f-]{36}\\.tmp$/",
  },
  {
    name: "a link's target is removed in its place",
    ...DRAFTS,
    text: "const { mtime } = await Deno.lstat(path);",
    replacement:
      "path = await Deno.realPath(path); const { mtime } = await Deno.stat(path);",
  },
  {
    name: "a taken install lock is not waited for",
    ...LOCKS,
    text: "await file.lock(!shared).catch(() => {});",
    replacement: "",
    filter: "has one holder at a time",
  },
  {
    name: "installs share their environment's lock",
    ...LOCKS,
    text: "lock(join(locksFolder(cacheDir), id), { onWait })",
    replacement:
      "lock(join(locksFolder(cacheDir), id), { onWait, shared: true })",
    filter: "gives both back",
  },
  {
    name: "one install keeps all others waiting",
    ...LOCKS,
    text: "lock(join(locksFolder(cacheDir), CACHE_LOCK), { shared: true })",
    replacement: "lock(join(locksFolder(cacheDir), CACHE_LOCK), {})",
    filter: "gives both back",
  },
  {
    name: "an install does not share the cache",
    ...LOCKS,
    text: "locks.use(await shareCache(cacheDir));",
    replacement: "",
    filter: "gives both back",
  },
  {
    name: "an install's own lock is not given back",
    ...LOCKS,
    text: "locks.use(await lock(join(locksFolder(cacheDir), id), { onWait }));",
    replacement: "await lock(join(locksFolder(cacheDir), id), { onWait });",
    filter: "gives both back",
  },
  {
    name: "the cache's lock is not given back",
    ...LOCKS,
    text: "locks.use(await shareCache(cacheDir));",
    replacement: "await shareCache(cacheDir);",
    filter: "gives both back",
  },
  {
    name: "the cache is claimed while installs go on",
    ...LOCKS,
    text: "if (file && attempt(() => file.tryLockSync(true))) return file;",
    replacement: "if (file) return file;",
  },
  {
    name: "who claims the cache shares it",
    ...LOCKS,
    text: "if (file && attempt(() => file.tryLockSync(true))) return file;",
    replacement:
      "if (file && attempt(() => file.tryLockSync(false))) return file;",
  },
  {
    name: "who uses an environment does not say so",
    ...LOCKS,
    text: "  attempt(() => file.lockSync(false));\n",
    replacement: "",
  },
  {
    name: "who uses an environment has it alone",
    ...LOCKS,
    text: "attempt(() => file.lockSync(false));",
    replacement: "attempt(() => file.tryLockSync(true));",
  },
  {
    name: "when an environment was used is not noted",
    ...LOCKS,
    text: "attempt(() => file.utimeSync(now, now));",
    replacement: "",
  },
  {
    name: "cache remove removes environments that were not named",
    ...PRUNE,
    text: "environments: environments.filter(({ id }) => ids.includes(id)),",
    replacement: "environments,",
  },
  {
    name: "environments in use are removed",
    ...PRUNE,
    text: 'if (!own) return this.#keep(path, "in use");',
    replacement: "",
  },
  {
    name: "environments that are being installed are removed",
    ...PRUNE,
    text: "if (!lock || isBase) return",
    replacement: "if (isBase) return",
  },
  {
    name: "what others are made from is removed while they are",
    ...PRUNE,
    text: "if (!lock || isBase) return",
    replacement: "if (!lock) return",
  },
  {
    name: "an environment is removed with its seal",
    ...PRUNE,
    text: "await unsealEnvironment(path);",
    replacement: "",
    survives:
      "A start in the middle of the removal sees it, and that finds files missing",
  },
  {
    name: "young environments are removed",
    ...PRUNE,
    text: "if (contents && !this.#isOlder(lastUsed, this.#rules.unusedMs)) {",
    replacement: "if (contents && false) {",
  },
  {
    name: "wheels of environments are removed",
    ...PRUNE,
    text: "if (needed.has(wheel.sha256)) continue;",
    replacement: "",
  },
  {
    name: "young wheels are removed",
    ...PRUNE,
    text: "if (!this.#isOlder(wheel.lastUsed, this.#rules.looseMs)) continue;",
    replacement: "",
  },
  {
    name: "wheels are removed while an install goes on",
    ...PRUNE,
    text: "if (!this.#rules.isQuiet) this.#keep(wheel.path, INSTALLING);",
    replacement: "if (false) this.#keep(wheel.path, INSTALLING);",
  },
  {
    name: "drafts are removed while an install goes on",
    ...PRUNE,
    text: "const age = this.#rules.isQuiet ? this.#rules.looseMs : STALE_MS;",
    replacement: "const age = this.#rules.looseMs;",
  },
  {
    name: "locks of environments are removed",
    ...PRUNE,
    text: "if (ids.includes(id)) continue;",
    replacement: "",
  },
  {
    name: "locks are removed while an install goes on",
    ...PRUNE,
    text: "this.#rules.isQuiet ? contents.locks : []",
    replacement: "contents.locks",
  },
  {
    name: "a link to a folder is taken for ours",
    ...CACHE,
    text: "isDirectory ? LISTS[name] : undefined;",
    replacement: "LISTS[name];",
  },
  {
    name: "folders of any name are taken for environments",
    ...CACHE,
    text: "isDirectory && ID.test(name) && await isOurs(path)",
    replacement: "isDirectory && await isOurs(path)",
  },
  {
    name: "folders with other things in them are taken for environments",
    ...CACHE,
    text: "isDirectory && ID.test(name) && await isOurs(path)",
    replacement: "isDirectory && ID.test(name)",
  },
  {
    name: "a link to an environment is taken for ours",
    ...CACHE,
    text: "isDirectory && ID.test(name) && await isOurs(path)",
    replacement: "ID.test(name) && await isOurs(path)",
  },
  {
    name: "folders of any name are taken for wheels",
    ...CACHE,
    text: "isDirectory && HASH.test(name)",
    replacement: "isDirectory",
  },
  {
    name: "files of any name are taken for wheels",
    ...CACHE,
    text: "inner.isFile && WHEEL.test(inner.name)",
    replacement: "inner.isFile",
  },
  {
    name: "files of any name are taken for locks",
    ...CACHE,
    text: "isFile && ID.test(name)) locks",
    replacement: "isFile) locks",
  },
  {
    name: "a wheel's name leads elsewhere",
    ...PARSE,
    text: "/^[A-Za-z0-9_][A-Za-z0-9_.+!-]*\\.(whl|zip)$/",
    replacement: "/\\.(whl|zip)$/",
  },
  {
    name: "a wheel's name begins with a dot",
    ...PARSE,
    text: "/^[A-Za-z0-9_][A-Za",
    replacement: "/^[A-Za",
  },
  {
    name: "a file of any kind is a wheel",
    ...PARSE,
    text: "*\\.(whl|zip)$/",
    replacement: "*$/",
  },
  {
    name: "a hash leads elsewhere",
    ...PARSE,
    text: "/^[0-9a-f]{64}$/",
    replacement: "/[0-9a-f]{60}/",
  },
  {
    name: "a hash is of any length",
    ...PARSE,
    text: "/^[0-9a-f]{64}$/",
    replacement: "/^[0-9a-f]+$/",
  },
  {
    name: "what a package says has any length",
    ...PARSE,
    text: '.replaceAll(/\\s+/g, " ").slice(0, 500)',
    replacement: '.replaceAll(/\\s+/g, " ")',
  },
  {
    name: "what a package says has any number of lines",
    ...PARSE,
    text: 'text.replaceAll(/\\s+/g, " ").slice',
    replacement: "text.slice",
  },
  {
    name: "a refusal is not told",
    ...PARSE,
    text: "if (refusal.success) {",
    replacement: "if (false) {",
  },
  {
    name: "any object is bytes",
    ...PARSE,
    text: "value instanceof Uint8Array\n",
    replacement: "value !== undefined\n",
  },
  {
    name: "a wheel's path is absolute",
    ...UNPACK,
    text: 'member.startswith("/") or ".." in parts',
    replacement: '".." in parts',
  },
  {
    name: "a wheel's path leads up",
    ...UNPACK,
    text: 'or ".." in parts or',
    replacement: "or",
  },
  {
    name: "a wheel's path has a backslash",
    ...UNPACK,
    text: 'or "\\\\" in member or',
    replacement: "or",
  },
  {
    name: "a wheel's path ends at a NUL",
    ...UNPACK,
    text: ' or "\\0" in member:',
    replacement: ":",
  },
  {
    name: "a wheel's path is what zipfile makes of it",
    ...UNPACK,
    text: "member.orig_filename",
    replacement: "member.filename",
  },
  {
    name: "a wheel's file name has any length",
    ...UNPACK,
    text: "if any(len(part.encode()) > LONGEST_NAME for part in parts):",
    replacement: "if False:",
  },
  {
    name: "a wheel's scripts and data are written",
    ...UNPACK,
    text: 'if parts[1:2] in (["purelib"], ["platlib"]) else None',
    replacement: "if len(parts) > 2 else None",
  },
  {
    name: "a wheel has any size",
    ...UNPACK,
    text: " or sum(member.file_size for member in members) > LARGEST:",
    replacement: ":",
  },
  {
    name: "a wheel's files have any size in all",
    ...UNPACK,
    text: "sum(member.file_size for member in members)",
    replacement: "max((member.file_size for member in members), default=0)",
  },
  {
    name: "a wheel has any number of files",
    ...UNPACK,
    text: "len(members) > MOST_MEMBERS or ",
    replacement: "",
  },
  {
    name: "a wheel is not what its name says",
    ...UNPACK,
    text:
      '            if place == "wheel":\n                _check_wheel(file, archive)\n',
    replacement: "",
  },
  {
    name: "a wheel is of another version",
    ...UNPACK,
    text: ' or not _same(its.split(" ")[1], version)):',
    replacement: "):",
  },
  {
    name: "a wheel is of another project",
    ...UNPACK,
    text: '(its.split(" ")[0] != name or not _same(',
    replacement: "(not _same(",
  },
  {
    name: "a wheel is for another system",
    ...UNPACK,
    text: "if not any(tag in tags for text in inside for tag in _tags(text)):",
    replacement: "if False:",
  },
  {
    name: "a wheel has two .dist-info folders",
    ...UNPACK,
    text: "if len(folders) != 1:",
    replacement: "if len(folders) < 1:",
  },
  {
    name: "a wheel's METADATA has any size",
    ...UNPACK,
    text: "if archive.getinfo(path).file_size > LARGEST_METADATA:",
    replacement: "if False:",
  },
  {
    name: "a distribution's file goes anywhere",
    ...UNPACK,
    text: '_write(f"{ROOT}{PLACES[place]}/{path}", archive.read(member))',
    replacement:
      '_write(f"{ROOT}{PLACES.get(place, place)}/{path}", archive.read(member))',
  },
  {
    name: "wheels are unpacked over the resolver's own files",
    ...UNPACK,
    text: '_write(f"{ROOT}{PLACES[place]}/{path}"',
    replacement: '_write(f"{PLACES[place]}/{path}"',
  },
  {
    name: "a wheel's name is a path for the resolver",
    ...WHEELS,
    text: "if not FILE.fullmatch(file):",
    replacement: "if not file:",
  },
  {
    name: "a wheel's name may end in a new line",
    ...WHEELS,
    text: "if not FILE.fullmatch(file):",
    replacement: "if not FILE.match(file):",
  },
  {
    name: "metadata is of another project",
    ...WHEELS,
    text: "canonicalize_name(name) == self.name and Version",
    replacement: "Version",
  },
  {
    name: "metadata is of another version",
    ...WHEELS,
    text: " and Version(version) == self.version:",
    replacement: ":",
  },
  {
    name: "metadata has any size",
    ...WHEELS,
    text: "if len(data) > LARGEST_METADATA:",
    replacement: "if False:",
  },
  {
    name: "metadata that is served alone has any hash",
    ...WHEELS,
    text: 'if self.metadata_sha256 not in ("", found :=',
    replacement: "if None is (found :=",
  },
  {
    name: "a wheel may have other requirements than its index serves",
    ...WHEELS,
    text:
      "all(_sorted(self.metadata.get(key)) == _sorted(metadata.get(key)) for key in REQUIRING)",
    replacement: "True",
    tests: ["test/metadata_test.ts"],
  },
  {
    name: "an address is of a wheel of another project",
    ...WHEELS,
    text: "if name and found != canonicalize_name(name):",
    replacement: "if False:",
  },
  {
    name: "an address's hash may be cut short",
    ...WHEELS,
    text: 'sha256=([0-9a-fA-F]{64})", fragment)',
    replacement: 'sha256=([0-9a-fA-F]+)", fragment)',
  },
  {
    name: "messages show credentials of an address",
    ...WHEELS,
    text: 'parts.netloc.rpartition("@")[2] + parts.path',
    replacement: "parts.netloc + parts.path",
  },
  {
    name: "a wheel has any hash",
    ...WHEELS,
    text:
      'return any(self._hash(*one.split(":")) == one for one in sorted(hashes))',
    replacement: "return True",
  },
  {
    name: "a wheel's other hash is not computed",
    ...WHEELS,
    text:
      'return f"{algorithm}:{hashlib.new(algorithm, self._download()).hexdigest()}"',
    replacement: 'return f"{algorithm}:{_digest}"',
  },
  {
    name: "an index's hash may be cut short",
    ...SOURCES,
    text: 're.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)',
    replacement: 're.fullmatch(r"sha256=([0-9a-fA-F]+)", fragment)',
  },
  {
    name: "a lock file's wheel needs no hash",
    ...LOCKED,
    text: "if sha256 is None:",
    replacement: "if False:",
  },
  {
    name: "a lock file's wheel has a path for its name",
    ...LOCKED,
    text: "if not FILE.fullmatch(wheel.filename):",
    replacement: "if False:",
  },
  {
    name: "a lock file's library has a path for its name",
    ...LOCKED,
    text: 'if not FILE.fullmatch(one["file"]):',
    replacement: "if False:",
  },
  {
    name: "a refusal shows credentials of a misspelt URL",
    ...PARSE,
    text: "throw new UserError(hideCredentials(error), exitCode);",
    replacement: "throw new UserError(error, exitCode);",
  },
  {
    name: "a call has anything installed",
    ...CALLS,
    text: "named && isAllowed(named.name, allowed)",
    replacement: "named",
  },
  {
    name: "a call has any number of packages installed",
    ...CALLS,
    text: " || list.length > MOST_REQUIREMENTS) {",
    replacement: ") {",
  },
];
