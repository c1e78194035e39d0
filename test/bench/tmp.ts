import { measureDuringSave } from "./figures/during_save.ts";
import { percentile } from "./statistics.ts";
const r = await measureDuringSave();
for (const k of ["fresh","session"] as const) for (const w of ["during","beside"] as const) { const t=r[k][w]; console.log(k,w,t.length,...[.1,.5,.9,.95,1].map(p=>percentile(t,p).toFixed(1))); }
