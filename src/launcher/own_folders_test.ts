import { assertThrows } from "../../deps/assert.ts";
import { UserError } from "../errors.ts";
import { refuseOwnFolders } from "./own_folders.ts";

Deno.test("a mount shows no folder of this program, and can change none", () => {
  const refuse = (host: string, isWritable: boolean) =>
    refuseOwnFolders(
      [{ host, guest: "/mnt/x", isWritable }],
      ["/home/ada/cache"],
      { os: "linux" },
    );
  assertThrows(() => refuse("/home/ada/cache", false), refusal("within"));
  assertThrows(() => refuse("/home/ada/cache/x", false), refusal("within"));
  assertThrows(() => refuse("/home/ada", true), refusal("could change it"));
  refuse("/home/ada", false);
  refuse("/home/ada/cache2", true);
});

function refusal(words: string): (error: unknown) => boolean {
  return (error) => error instanceof UserError && error.message.includes(words);
}
