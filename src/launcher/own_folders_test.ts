import { assertThrows } from "../../deps/assert.ts";
import { saying } from "../../test/support/user_error.ts";
import { refuseOwnFolders } from "./own_folders.ts";

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
