import type { Connection, Contract, OpenContract } from "./contract.ts";
import { openEndSession } from "./end_session.ts";
import { openForkSession } from "./fork_session.ts";
import { openListFiles } from "./list_files.ts";
import { openListSessions } from "./list_sessions.ts";
import { openReadFile } from "./read_file.ts";
import { openRunPythonCode } from "./run_python_code.ts";
import { openWriteFile } from "./write_file.ts";

/** The tools of the server. A new tool is a file, and a line here. */
const CONTRACTS: readonly OpenContract[] = [
  openRunPythonCode,
  openListSessions,
  openForkSession,
  openEndSession,
  openWriteFile,
  openReadFile,
  openListFiles,
];

export function openContracts(connection: Connection): Contract[] {
  return CONTRACTS.flatMap((open) => open(connection) ?? []);
}
