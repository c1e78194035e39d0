/** Code that takes away what Python is interrupted by. */
export const NO_BRAKE = `import pyodide_js
setattr(pyodide_js._module.Py_EmscriptenSignalBuffer, "0", 7)
pyodide_js.setInterruptBuffer(None)
from mcp_runner import displays`;
