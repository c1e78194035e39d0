import { assert, assertEquals } from "../../deps/assert.ts";
import { toFramedPage } from "./to_framed_page.ts";

const HOSTILE = `"></iframe></script><plaintext>{title}{page}$&'&quot;<`;

Deno.test("toFramedPage() lets no markup of the page or the title out of its place", () => {
  const plain = toFramedPage("", {});
  const framed = toFramedPage(HOSTILE, { title: HOSTILE });
  for (const mark of ["<", ">", '"']) {
    const count = (text: string) => text.split(mark).length;
    assertEquals(count(framed), count(plain), mark);
  }
  const escaped = "&#34;&#62;&#60;/iframe&#62;";
  assertEquals(framed.split(escaped).length, 4);
  assert(framed.includes("{title}{page}$&#38;'&#38;quot;&#60;"));
});

Deno.test("toFramedPage() has the policy before all that the page or its title gives", () => {
  const framed = toFramedPage("the page", { title: "the title" });
  const policy = framed.indexOf("default-src 'none'");
  assert(policy > 0 && policy < framed.indexOf("the title"));
  assert(framed.includes(`sandbox="allow-scripts" srcdoc=`));
});
