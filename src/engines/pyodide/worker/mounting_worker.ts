// The worker of a sandbox with mounts: a module of its own, so that a worker without
// mounts neither loads their file system nor keeps a function of Deno's. The order
// matters: the first import takes Deno's functions, the second removes Deno.
import "./mount_folders.ts";
import "./worker.ts";
