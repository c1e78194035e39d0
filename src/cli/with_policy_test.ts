import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { saying } from "../../test/support/user_error.ts";
import { type GuestGrants, NOTHING_GRANTED } from "../grants/guest_grants.ts";
import { notForPython, withPolicy } from "./with_policy.ts";

const MACHINE = machine({ "/data/x": "", "/out/x": "" });
const NOTHING = {
  ...{ allowNet: [], deniedHosts: [], mounts: [], variables: {} },
};
const united = (
  given: Parameters<typeof withPolicy>[0],
  grants: Partial<GuestGrants>,
) =>
  withPolicy(
    given,
    { grants: { ...NOTHING_GRANTED, ...grants }, warnings: [] },
    MACHINE,
  );

Deno.test("withPolicy() grants what options or the policy grant", () => {
  const mount = { host: "/data", guest: "/mnt/data", isWritable: false };
  assertEquals(
    united({ allowNet: ["a.com"], mounts: [mount], variables: { A: "1" } }, {
      hosts: ["b.com", "a.com"],
      paths: [
        { host: "/data", guest: "/mnt/data", access: ["read", "write"] },
        { host: "/out", guest: "/out", access: ["read"] },
      ],
      variables: { A: "2", B: "3" },
    }),
    {
      ...NOTHING,
      allowNet: ["a.com", "b.com"],
      mounts: [
        { ...mount, isWritable: true },
        { host: "/out", guest: "/out", isWritable: false },
      ],
      // The option is nearer.
      variables: { A: "1", B: "3" },
    },
  );
  assertEquals(united({}, {}), NOTHING);
});

Deno.test("withPolicy() lets denials of the policy beat options", () => {
  const mount = { host: "/data", guest: "/mnt/data", isWritable: true };
  const inner = { host: "/data/no", access: ["read", "write"] } as const;
  const { allowNet, deniedHosts, mounts } = united(
    { allowNet: ["a.com", "*.b.com"], mounts: [mount] },
    {
      deniedHosts: ["a.com", "x.b.com"],
      deniedPaths: [inner, { host: "/data", access: ["write"] }, {
        host: "/else",
        access: ["read"],
      }],
    },
  );
  assertEquals(allowNet, ["*.b.com"]);
  assertEquals(deniedHosts, ["a.com", "x.b.com"]);
  assertEquals(mounts, [{
    ...mount,
    isWritable: false,
    denied: [inner, { host: "/data", access: ["write"] }],
  }]);
  assertThrows(
    () =>
      united({ mounts: [mount] }, {
        deniedPaths: [{ host: "/data", access: ["read"] }],
      }),
    saying('Cannot mount "/data" as the policy denies it'),
  );
  assertThrows(
    () => united({ allowNet: ["*.b.com"] }, { deniedHosts: ["*.x.b.com"] }),
    saying(
      "Cannot use --allow-net *.b.com with a policy that denies *.x.b.com",
    ),
  );
});

Deno.test("withPolicy() closes the domain of a policy's wildcard, unless an option opens it", () => {
  const closed = (...allowNet: string[]) =>
    united({ allowNet }, { hosts: ["*.a.com", "*.b.com:443"] }).deniedHosts;
  assertEquals(closed(), ["a.com", "b.com:443"]);
  assertEquals(closed("a.com"), ["b.com:443"]);
  assertEquals(closed("*.a.com", "*.b.com"), []);
  assertEquals(closed("*"), []);
  assertEquals(closed("b.com:443"), ["a.com"]);
});

Deno.test("withPolicy() gives the narrower limits", () => {
  const limits = { timeoutMs: 20_000, memoryMiB: 512, maxOutput: 100 };
  const bound = (given: Parameters<typeof withPolicy>[0]) => {
    const { timeoutSeconds, maxTimeoutSeconds, memoryMiB, maxOutput } = united(
      given,
      { limits },
    );
    return [timeoutSeconds, maxTimeoutSeconds, memoryMiB, maxOutput];
  };
  assertEquals(bound({}), [20, 20, 512, 100]);
  assertEquals(bound({ timeoutSeconds: 5, memoryMiB: 2048 }), [
    5,
    20,
    512,
    100,
  ]);
  assertEquals(bound({ maxTimeoutSeconds: 10, maxOutput: 7 }), [
    10,
    10,
    512,
    7,
  ]);
  assertThrows(
    () => united({}, { limits: { memoryMiB: 64 } }),
    saying("it needs 128Mi"),
  );
});

Deno.test("withPolicy() refuses a folder at Python's own path", () => {
  assertThrows(
    () =>
      united({}, {
        paths: [{ host: "/data", guest: "/tmp/x", access: ["read"] }],
      }),
    saying("/tmp/x is Python's own"),
  );
});

Deno.test("notForPython() names files, and folders that are only written to", () => {
  const grants: GuestGrants = {
    ...NOTHING_GRANTED,
    paths: [
      { host: "/f", guest: "/f", access: ["read"], isFile: true },
      { host: "/w", guest: "/w", access: ["write"] },
      { host: "/r", guest: "/r", access: ["read"] },
    ],
  };
  assertEquals(notForPython(grants).map((line) => line.slice(0, 32)), [
    'Python does not see the file "/f',
    'Python does not see the folder "',
  ]);
  assertEquals(united({}, grants).mounts.map(({ host }) => host), ["/r"]);
});
