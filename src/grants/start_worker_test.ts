import { assertEquals } from "../../deps/assert.ts";
import { PERMISSIONS } from "./permissions.ts";
import { toOwnReads, toWorkerPermissions } from "./start_worker.ts";

const NOTHING = {
  ...{ read: false, write: false, net: false, run: false },
  ...{ env: false, sys: false, ffi: false, import: false },
};

Deno.test("toWorkerPermissions() refuses each kind by name, so that none is inherited", () => {
  assertEquals(toWorkerPermissions({}, {}), NOTHING);
  assertEquals(toWorkerPermissions({ read: [] }, {}), NOTHING);
  assertEquals(toWorkerPermissions(PERMISSIONS.worker, {}), NOTHING);
});

Deno.test("toWorkerPermissions() refuses a list without entries, which Deno could take for all", () => {
  const places = { mounts: [], writableMounts: [] };
  assertEquals(toWorkerPermissions(PERMISSIONS.worker, places), NOTHING);
});

Deno.test("toWorkerPermissions() gives the places of a row, and no others", () => {
  const places = {
    ...{ mounts: ["/ro", "/rw,x"], writableMounts: ["/rw,x"] },
    ...{ cache: ["/cache"], hosts: ["example.com"] },
  };
  assertEquals(
    toWorkerPermissions(PERMISSIONS.worker, places),
    { ...NOTHING, read: ["/ro", "/rw,x"], write: ["/rw,x"] },
  );
  assertEquals(
    toWorkerPermissions({ net: ["hosts"], sys: ["any"] }, places),
    { ...NOTHING, net: ["example.com"], sys: true },
  );
});

Deno.test("toWorkerPermissions() inherits the kinds that have denials, and no other", () => {
  const places = { mounts: ["/m"], writableMounts: ["/m"] };
  assertEquals(
    toWorkerPermissions(PERMISSIONS.worker, {
      ...places,
      ...{ deniedReads: ["/m/a"], deniedWrites: [] },
    }),
    { ...NOTHING, read: "inherit", write: ["/m"] },
  );
  assertEquals(
    toWorkerPermissions(PERMISSIONS.worker, {
      ...places,
      deniedWrites: ["/m/a"],
    }),
    { ...NOTHING, read: ["/m"], write: "inherit" },
  );
});

Deno.test("toOwnReads() names all that a worker inherits beside its guest's folders", () => {
  const places = {
    ...{ environment: ["/e"], runtime: ["/home/r"], program: ["/p", "/p2"] },
    mounts: ["/home"],
  };
  const system = { os: "linux" };
  assertEquals(toOwnReads(places, system), []);
  assertEquals(toOwnReads({ ...places, deniedReads: ["/home/x"] }, system), [
    ...["/e", "/p", "/p2"],
  ]);
});
