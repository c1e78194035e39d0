/**
 * The worker of a sandbox that has mounts. A module of its own, so that one
 * without them neither loads their file system nor keeps a function of Deno's.
 *
 * @module
 */
// The order counts: the first takes Deno's functions, the second closes it.
import "./mount_fs.ts";
import "./worker.ts";
