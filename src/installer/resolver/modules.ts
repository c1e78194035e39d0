import demands from "./demands.py" with { type: "text" };
import distribution from "./distribution.py" with { type: "text" };
import explain from "./explain.py" with { type: "text" };
import host from "./host.py" with { type: "text" };
import indexPages from "./index_pages.py" with { type: "text" };
import locked from "./locked.py" with { type: "text" };
import plan from "./plan.py" with { type: "text" };
import refused from "./refused.py" with { type: "text" };
import resolve from "./resolve.py" with { type: "text" };
import sources from "./sources.py" with { type: "text" };
import thisPython from "./this_python.py" with { type: "text" };
import unpack from "./unpack.py" with { type: "text" };
import wheels from "./wheels.py" with { type: "text" };

/** The Python files of phase 1, by name in their package. */
export const RESOLVER: Record<string, string> = {
  "__init__.py": "",
  "demands.py": demands,
  "distribution.py": distribution,
  "explain.py": explain,
  "host.py": host,
  "index_pages.py": indexPages,
  "locked.py": locked,
  "plan.py": plan,
  "refused.py": refused,
  "resolve.py": resolve,
  "sources.py": sources,
  "this_python.py": thisPython,
  "unpack.py": unpack,
  "wheels.py": wheels,
};
