/**
 * Sessions of data packages, over Pyodide 0.27 and real servers: their native
 * libraries are loaded before the code, so that the sessions are stored.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { command } from "./support/command.ts";
import { FOLDER_027 } from "./support/each_pyodide.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { killFamily } from "./support/processes.ts";
import { startServer } from "./support/server.ts";

/** scikit-learn doubles what a start loads: no other test has to. */
const PACKAGES = [
  ...["--pyodide", FOLDER_027, "--offline"],
  ...["--deps", "matplotlib,pandas,pyarrow,scikit-learn,scipy"],
];

const WORK = `
import sys
early = [name for name in ("contourpy", "pyarrow.parquet", "scipy.optimize", "sklearn.linear_model") if name not in sys.modules]
import matplotlib.pyplot as plt, numpy as np, pandas as pd
from scipy import optimize, stats
from sklearn.cluster import DBSCAN, KMeans
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
frame = pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 4.0, 6.0]})
frame.to_parquet("frame.parquet")
model = LinearRegression().fit(frame[["a"]], frame.b)
points = np.array([[0.0], [0.1], [5.0], [5.1]])
means = KMeans(2, n_init=1, random_state=0).fit(points)
near = KNeighborsClassifier(1).fit(points, [0, 0, 1, 1])
DBSCAN().fit(points), GaussianMixture(2).fit(points)
line = lambda x, slope: slope * x
[slope], _ = optimize.curve_fit(line, frame.a, frame.b)
plt.contour(np.arange(16).reshape(4, 4)); plt.close()
early`;

const GO_ON = `
again, _ = optimize.curve_fit(line, frame.a, frame.b * 2)
[
    round(float(model.predict(pd.DataFrame({"a": [4]}))[0]), 6),
    round(float(slope), 6), round(float(again[0]), 6),
    pd.read_parquet("frame.parquet").equals(frame),
    round(float(stats.linregress(frame.a, frame.b).slope), 6),
    len(set(means.predict(points))), int(near.predict([[4.9]])[0]),
    len(set(KMeans(2, n_init=1).fit(points).labels_)),
]`;

Deno.test({
  name:
    "models, fits and frames of Parquet outlive a killed server; other libraries are named with a remedy",
  ignore: FOLDER_027 === "" || Deno.build.os !== "linux",
  async fn() {
    const installed = await command([...PACKAGES, "install"]);
    assertEquals(installed.code, 0, installed.stderr);
    await using folder = await tempFolder();
    const options = [...PACKAGES, "--session-store", folder.path];
    let session: unknown;
    {
      await using first = await startServer(options);
      const worked = await first.call(WORK, { session: "new", timeout: 600 });
      assertEquals(worked.returnValue, [], worked.text);
      session = worked.structured.session;
      const isSession = (name: string) => /\.sessions\..*\.value$/.test(name);
      while (!(await namesIn(folder.path)).some(isSession)) {
        const listed = await first.client.callTool({
          ...{ name: "list_sessions", arguments: {} },
        });
        const text = JSON.stringify(listed.structuredContent);
        assert(!text.includes("unsaved"), text);
      }
      killFamily(first.pid);
    }
    await using second = await startServer(options);
    const goOn = async (session: unknown) => {
      for (;;) {
        const called = await second.call(GO_ON, { session, timeout: 600 });
        // The killed server has given no sign of life for some seconds, then.
        if (called.status !== "busy") return called;
      }
    };
    const { returnValue, text } = await goOn(session);
    assertEquals(returnValue, [8, 2, 4, true, 2, 2, 1, 2], text);
    const fork = async () => {
      const name = "fork_session";
      const result = await second.client.callTool({
        name,
        arguments: { session },
      });
      assert(result.isError);
      return JSON.stringify(result.content);
    };
    await second.call("import scipy.odr", { session });
    assertMatch(
      await fork(),
      /that a start does not load: scipy\.odr\.__odrpack\. Use them in a run without a session/,
    );
    await second.call("from PIL import _imagingft", { session });
    assertMatch(
      await fork(),
      /the code has loaded native libraries: PIL\._imagingft\. Name the packages of PIL in --deps/,
    );
  },
});
