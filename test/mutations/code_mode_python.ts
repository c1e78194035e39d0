import type { Mutation } from "./mutation.ts";

const TESTS = ["test/code_mode_python_test.ts"];

/** What code mode shows to code, and what servers may say in Python. */
export const CODE_MODE_PYTHON: Mutation[] = [
  {
    name: "a session without code mode has its hints",
    file: "src/engines/pyodide/worker/worker.ts",
    text: "if (codeMode) runner.enter_code_mode();",
    replacement: "runner.enter_code_mode();",
    tests: TESTS,
    filter: "without code mode",
  },
  {
    name: "a type that a downstream server has written is executed",
    file: "src/engines/pyodide/runner/mcp_signatures.py",
    text: 'return _type_of(ast.parse(text, mode="eval").body)',
    replacement: "return eval(text)",
    tests: TESTS,
    filter: "is not executed",
  },
  {
    name: "an attribute of Python's own machinery asks the host",
    file: "src/engines/pyodide/runner/mcp_proxies.py",
    text: 'ASKED = re.compile(r"[^_]|_\\d")',
    replacement: 'ASKED = re.compile(r".")',
    tests: TESTS,
    filter: "machinery",
  },
  {
    name: "the proxy of a server that is not loaded any more stays",
    file: "src/engines/pyodide/runner/code_mode.py",
    text: "            del namespace[name]\n",
    replacement: "            pass\n",
    tests: TESTS,
    filter: "come and go",
  },
  {
    name: "calls that fail at a time get each other's errors",
    file: "src/engines/pyodide/runner/waiting.py",
    text: "run_sync(asyncio.ensure_future(_settle(task)))",
    replacement: "run_sync(task)",
    tests: TESTS,
    filter: "gives no list",
  },
  {
    file: "src/engines/pyodide/runner/mcp_saved.py",
    tests: ["test/escape_code_mode_test.ts"],
    name: "a saved tool ends the interpreter of each later session",
    text: "    _refuse_long_chains(source)\n",
    replacement: "",
  },
  {
    file: "src/engines/pyodide/runner/mcp_saved.py",
    tests: ["test/escape_code_mode_test.ts"],
    name: "a saved tool keeps each later session for hours",
    text: "    _refuse_deep_finally(function)\n",
    replacement: "",
  },
];
