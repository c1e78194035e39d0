import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { saying } from "../../test/support/user_error.ts";
import { UserError } from "../errors.ts";
import { refuseOwnFolders, refuseToShow, toGrantedPlaces } from "./policy.ts";

const SESSIONS = {
  holds: "the sessions",
  doing: "store sessions in",
  option: "--session-store",
};

Deno.test("toGrantedPlaces() closes each address of this machine to what is granted", () => {
  const { ownAddresses } = toGrantedPlaces({
    allowNet: ["example.com"],
    mounts: [],
  });
  const addresses = Deno.networkInterfaces().map(({ address }) => address);
  assert(addresses.length > 0);
  assertEquals(ownAddresses, addresses);
  const none = toGrantedPlaces({ allowNet: [], mounts: [] });
  assertEquals([none.hosts, none.ownAddresses], [[], []]);
});

Deno.test("a mount shows no folder of this program, and can change none", () => {
  const refuse = (host: string, isWritable: boolean) =>
    refuseOwnFolders(
      [{ host, guest: "/mnt/x", isWritable }],
      ["/home/ada/cache"],
      { os: "linux" },
    );
  assertThrows(() => refuse("/home/ada/cache", false), saying("within"));
  assertThrows(() => refuse("/home/ada/cache/x", false), saying("within"));
  assertThrows(() => refuse("/home/ada", true), saying("could change it"));
  refuse("/home/ada", false);
  refuse("/home/ada/cache2", true);
});

Deno.test("refuseToShow() refuses each mount that shows or changes sessions", () => {
  const mount = (host: string, isWritable: boolean) =>
    refuseToShow(
      [{ host, guest: "/mnt/x", isWritable }],
      "/home/ada/sessions",
      { os: "linux" },
      SESSIONS,
    );
  const shown = ["/home/ada", "/home/ada/sessions", "/home/ada/sessions/x"];
  for (const host of shown) {
    for (const isWritable of [true, false]) {
      assertThrows(
        () => mount(host, isWritable),
        (error) => error instanceof UserError && /would see/.test(`${error}`),
      );
    }
  }
  mount("/home/ada/sessions2", true);
  mount("/home/ada/data", true);
});

Deno.test("toGrantedPlaces() gives the bare domain to --allow-net, unless a policy closes it", () => {
  const hosts = (deniedHosts: string[]) => {
    const given = { allowNet: ["*.a.com"], deniedHosts, mounts: [] };
    const places = toGrantedPlaces(given);
    return [places.hosts, places.deniedHosts];
  };
  assertEquals(hosts([]), [["*.a.com", "a.com"], []]);
  assertEquals(hosts(["a.com"]), [["*.a.com"], ["a.com"]]);
});

Deno.test("refuseOwnFolders() refuses a denial around what this program reads", () => {
  const refuse = (denied: string) =>
    refuseOwnFolders(
      [{
        ...{ host: "/home/ada", guest: "/mnt/x", isWritable: false },
        denied: [{ host: denied, access: ["read"] }],
      }],
      ["/home/ada/cache"],
      { os: "linux" },
    );
  assertThrows(() => refuse("/home/ada/cache"), saying("Cannot deny"));
  assertThrows(() => refuse("/home/ada"), saying("Cannot deny"));
  refuse("/home/ada/.ssh");
});
