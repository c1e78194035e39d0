import { assert, assertEquals } from "../../../deps/assert.ts";
import { DEFAULTS } from "../../settings.ts";
import { toInstallOrder } from "./install_order.ts";

const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(64));
const SECRET = "s3cret";

/** An address with credentials. */
const secret = (path: string) => `https://ada:${SECRET}@h.example/${path}`;

const { order } = await toInstallOrder("install", {
  ...DEFAULTS,
  cacheDir: "/nowhere",
  dependencies: [
    `x==1.0 --hash=sha256:${A?.toUpperCase()}`,
    `${secret("y-1.0-py3-none-any.whl")}#sha256=${B}`,
  ],
  locked: { path: "/x.lock", text: `hashes = { sha256 = "${C}" }` },
  constraints: [],
  findLinks: [],
  indexUrl: secret("simple"),
  extraIndexUrls: [secret("extra")],
  dist: secret("dist/"),
});

Deno.test("toInstallOrder() names each hash that the user has named", () => {
  assertEquals(order.hashes.toSorted(), [A, B, C]);
});

Deno.test("toInstallOrder() has credentials in the one place that the worker does not see", () => {
  const { credentials, ...rest } = order;
  assert(!JSON.stringify(rest).includes(SECRET));
  assertEquals(
    credentials.slice(0, 4),
    [0, 1, 2, 3].map(() => ({
      host: "h.example",
      authorization: `Basic ${btoa(`ada:${SECRET}`)}`,
    })),
  );
});
