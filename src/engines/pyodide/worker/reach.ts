/**
 * Tells whether a run has reached JavaScript.
 *
 * All that Python does to JavaScript goes through the functions that WebAssembly
 * imports: those of this list leave nothing behind, or only what a rewind puts back.
 * Any other call is noted before it is made. Python's memory has no part in it, so no
 * write to it changes what is noted.
 *
 * @module
 */

/** Functions that leave nothing behind: to be read with the sources of Pyodide. */
const LEAVE_NOTHING = new Set(
  `
  ${"" /* They ask for the kind of a value. */}
  JsvError_Check JsvNoValue_Check JsvArray_Check JsvFunction_Check JsvPromise_Check
  JsvGenerator_Check JsvAsyncGenerator_Check pyproxy_Check is_comlink_proxy
  JsProxy_compute_typeflags JsProxy_Bool_js Jsv_equal Jsv_not_equal can_run_sync_js
  ${"" /* They make values, or write to those that a call of Python's has made. */}
  js2python_js JsvUTF8ToString JsvNum_fromInt JsvNum_fromDouble JsvBigInt_fromInt
  JsvBigInt_fromDigits Jsv_BigIntToNum _python2js_ascii _python2js_ucs1
  _python2js_ucs2 _python2js_ucs4 JsvArray_New JsvArray_Get JsvArray_Push
  JsvPromise_Resolve JsBuffer_get_info JsvBuffer_assignToPtr
  ${"" /* They call a function that Python has: those of the host. */}
  JsvFunction_CallBound JsvFunction_Call_OneArg destroy_proxies destroy_proxy
  get_async_js_call_done_callback gc_register_proxies proxy_cache_get
  ${"" /* Stacks, one of which is active at a time. */}
  saveState restoreState get_suspender set_suspender syncifyHandler JsvPromise_Syncify_handleError
  new_error capture_stderr restore_stderr
  ${"" /* The table of references, which is put back. */}
  __hiwire_deduplicate_get __hiwire_deduplicate_set __hiwire_deduplicate_delete
  ${"" /* Calls from C to C, and signals. */}
  _PyEM_TrampolineCall_JS __call_sighandler _Py_CheckEmscriptenSignals_Helper
  emscripten_resize_heap emscripten_get_heap_max
  ${"" /* Files, which are put back; pipes and sockets are not among them. */}
  __syscall_chdir __syscall_chmod __syscall_dup __syscall_dup3 __syscall_faccessat
  __syscall_fadvise64 __syscall_fallocate __syscall_fchdir __syscall_fchmod
  __syscall_fchmodat2 __syscall_fchown32 __syscall_fchownat __syscall_fcntl64
  __syscall_fdatasync __syscall_fstat64 __syscall_fstatfs64 __syscall_ftruncate64
  __syscall_getcwd __syscall_getdents64 __syscall_ioctl __syscall_lstat64
  __syscall_mkdirat __syscall_mknodat __syscall_newfstatat __syscall_openat
  __syscall_readlinkat __syscall_renameat __syscall_rmdir __syscall_stat64
  __syscall_statfs64 __syscall_symlinkat __syscall_truncate64 __syscall_unlinkat
  __syscall_utimensat fd_close fd_fdstat_get fd_pread fd_pwrite fd_read fd_seek
  fd_sync fd_write _mmap_js _msync_js _munmap_js _try_fcntl64
  ${"" /* Facts of the machine, clocks and random numbers. */}
  __syscall_getuid32_js __syscall_umask_js _Py_emscripten_runtime _emscripten_system
  _emscripten_get_progname clock_res_get clock_time_get emscripten_date_now
  emscripten_get_now random_get environ_get environ_sizes_get _gmtime_js
  _localtime_js _mktime_js _timegm_js _tzset_js
  ${"" /* Other names of the same, up to 0.29: C++ throws by JavaScript there. */}
  JsvNum_fromDigits _PyImport_InitFunc_TrampolineCall _PyEM_GetCountArgsPtr getentropy
  strftime strftime_l emscripten_get_now_res _emscripten_get_now_is_monotonic
  __syscall_symlink _emscripten_throw_longjmp __resumeException llvm_eh_typeid_for
  __cxa_begin_catch __cxa_end_catch __cxa_throw __cxa_rethrow __cxa_uncaught_exceptions
  __cxa_find_matching_catch_2 __cxa_find_matching_catch_3 __cxa_find_matching_catch_4
  `.trim().split(/\s+/),
);

/** Names of properties that asyncio reads. */
const READ = new Set(["config", "enableRunUntilComplete"]);
/** C calls functions that may fail through these. */
const INVOKE = /^invoke_[a-z]+$/;
/** They load libraries, and look into them. */
export const LOADS = /^_(emscripten_)?dl/;

interface Import {
  (...args: unknown[]): unknown;
  /** The letters of its types. */
  sig?: unknown;
  /** Whether there is nothing behind it. */
  stub?: unknown;
}

const isFunction = (it: unknown): it is Import => typeof it === "function";

/** What runs have done since the last rewind. */
export class Reach {
  /** The first function that was called and is not known to leave nothing. */
  name: string | undefined;
  /** Promises that Python waits for, and calls of Python that go on: with each suspended stack. */
  pending = 0;
  /** References of objects that Python knows; undefined in old versions. */
  references: Map<unknown, unknown> | undefined;
  /** What was made before the last rewind calls no Python. */
  age = {};
  /** The memory in which names lie. */
  memory: WebAssembly.Memory | undefined;

  /** Notes a doing that is not known to leave nothing. */
  note(name: string): void {
    this.name ??= name;
  }

  /** Forgets what runs did; what they have left never calls Python. */
  begin(): void {
    this.name = undefined;
    this.pending = 0;
    this.age = {};
  }

  /** Puts itself between WebAssembly and its imports, in their place. */
  watch(imports: WebAssembly.Imports): void {
    const own = this.#ownImports();
    // In old versions those of other modules are made when they are asked for.
    const { env = {}, wasi_snapshot_preview1: system = {} } = imports;
    for (const entries of new Set<Record<string, unknown>>([env, system])) {
      for (const name in entries) {
        const it = entries[name];
        if (!isFunction(it) || LEAVE_NOTHING.has(name) || INVOKE.test(name)) {
          continue;
        }
        const watched: Import = own[name]?.(it) ?? this.#noted(name, it);
        // Emscripten reads these of each, and nothing else; all of them take 10 ms.
        if (it.sig !== undefined) watched.sig = it.sig;
        if (it.stub !== undefined) watched.stub = it.stub;
        entries[name] = watched;
      }
    }
  }

  #noted(name: string, it: Import): Import {
    return (...args) => {
      this.note(name);
      return it(...args);
    };
  }

  #ownImports(): Record<string, (it: Import) => Import> {
    return {
      __proto__: null as never,
      __hiwire_deduplicate_new: (it) => () => {
        const made = it();
        if (made instanceof Map) this.references = made;
        return made;
      },
      JsProxy_GetAttr_js: (it) => (object, place) => {
        if (!READ.has(this.#textAt(place))) this.note("JsProxy_GetAttr_js");
        return it(object, place);
      },
      JsvObject_CallMethod: (it) => (object, name, args) => {
        const waits = object instanceof Promise && name === "then";
        if (!waits) this.note("JsvObject_CallMethod");
        return it(object, name, args);
      },
      // A proxy that outlives a call is one that code has asked for.
      pyproxy_new_ex: (it) => (object, self, trip, ...rest) => {
        if (self || trip) this.note("create_proxy");
        return it(object, self, trip, ...rest);
      },
      create_once_callable: (it) => (...args) => this.#aging(it(...args)),
      create_promise_handles: (it) => (...args) => {
        const handles = it(...args);
        if (!Array.isArray(handles)) return handles;
        const end = this.#begin();
        return handles.map((handle) => this.#aging(handle, end));
      },
    };
  }

  /** Something is pending until the result is called. */
  #begin(): () => void {
    const age = this.age;
    let isOver = false;
    this.pending++;
    return () => {
      if (!isOver && age === this.age) this.pending--;
      isOver = true;
    };
  }

  /** A function of Python's that does nothing after the next rewind. */
  #aging(it: unknown, onCall = () => {}): unknown {
    if (typeof it !== "function") return it;
    const age = this.age;
    const guarded = (inner: CallableFunction) => (...args: unknown[]) => {
      if (age !== this.age) return undefined;
      onCall();
      const result = inner(...args);
      // Python goes on in it, in a later turn of the event loop.
      if (result instanceof Promise) {
        const end = this.#begin();
        result.then(end, end);
      }
      return result;
    };
    const destroy = Reflect.get(it, "destroy");
    return Object.assign(guarded(it), { destroy: guarded(destroy) });
  }

  /** The text there, as far as a name of the list goes. */
  #textAt(place: unknown): string {
    if (!this.memory) return "";
    const start = Number(place) >>> 0;
    const most = new Uint8Array(this.memory.buffer).subarray(start, start + 64);
    return String.fromCharCode(...most.subarray(0, most.indexOf(0)));
  }
}

/** Calls nothing for objects that were made before the last rewind. */
export class AgingRegistry extends FinalizationRegistry<unknown> {
  constructor(onEnd: (held: unknown) => void) {
    super((held) => {
      const { age, inner } = held as { age: object; inner: unknown };
      if (age === reach.age) onEnd(inner);
    });
    Object.freeze(this);
  }

  override register(target: WeakKey, held: unknown, token?: WeakKey): void {
    super.register(target, { age: reach.age, inner: held }, token);
  }
}
Object.freeze(AgingRegistry);
Object.freeze(AgingRegistry.prototype);

/** That of this worker. */
export const reach = new Reach();
