// Translates one component to JavaScript, without any permission: the bytes are hostile.
import { firstMessage, reply } from "./translate_doors.ts";
import { generate, ready } from "../../deps/jco_bindgen.ts";
import { messageOf } from "../errors.ts";

const { component, waiting } = await firstMessage;
try {
  await ready();
  const { files } = generate(component, {
    name: "guest",
    noTypescript: true,
    noNodejsCompat: true,
    noNamespacedExports: true,
    instantiation: { tag: "async" },
    base64Cutoff: 0,
    ...waiting ? { asyncMode: { tag: "jspi", val: waiting } } : {},
  });
  reply({ files });
} catch (error) {
  reply({ error: messageOf(error) });
}
