import type { Connection, Contract, OpenContract } from "./contract.ts";
import { openEndSession } from "./end_session.ts";
import { openForkSession } from "./fork_session.ts";
import { openListFiles } from "./list_files.ts";
import { openListSessions } from "./list_sessions.ts";
import { openReadFile } from "./read_file.ts";
import { openRunPython } from "./run_python.ts";
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

/** The only tool of code mode: what others do, its code can do. */
const CODE_MODE: readonly OpenContract[] = [openRunPython];

export function openContracts(connection: Connection): Contract[] {
  const contracts = connection.codeMode ? CODE_MODE : CONTRACTS;
  return contracts.flatMap((open) => open(connection) ?? []);
}
