import { assertEquals } from "../../deps/assert.ts";
import { hideCredentials } from "./hide_credentials.ts";

Deno.test("hideCredentials() hides the name and password before the host of a URL", () => {
  const hidden: Record<string, string> = {
    "https://ada:secret@index.example/simple":
      "https://***@index.example/simple",
    "https://token@index.example:8443/": "https://***@index.example:8443/",
    "https://a@b:c@index.example/x@1": "https://***@index.example/x@1",
    "HTTPS://:secret@index.example": "HTTPS://***@index.example",
    "https:\\\\ada:secret@index.example": "https:\\\\***@index.example",
    "https:///ada:secret@index.example": "https:///***@index.example",
    "git+ssh://git@host/x.git@v1": "git+ssh://***@host/x.git@v1",
    "rich @ https://a:b@h/rich-1-py3-none-any.whl ; extra == 'x'":
      "rich @ https://***@h/rich-1-py3-none-any.whl ; extra == 'x'",
    "https://a:b@h/simple https://c:d@i/simple":
      "https://***@h/simple https://***@i/simple",
  };
  for (const [text, shown] of Object.entries(hidden)) {
    assertEquals(hideCredentials(text), shown);
  }
});

Deno.test("hideCredentials() hides credentials in a misspelt URL, too", () => {
  for (
    const text of [
      "ada:secret@index.example/simple",
      "secret@index.example",
      "//ada:secret@index.example",
      "https:ada:secret@index.example",
      "https:/ada:secret@index.example",
      "https://ada:se/secret@index.example",
      "https://ada:secret@index.example:port/",
      "rich@https://ada:secret@h/rich.whl",
      "-i=https://ada:secret@index.example",
    ]
  ) {
    assertEquals(/ada|secret/.test(hideCredentials(text)), false, text);
  }
});

Deno.test("hideCredentials() leaves a text without credentials as it is", () => {
  for (
    const text of [
      "",
      "numpy>=2",
      "rich @ https://index.example/rich-1.0-py3-none-any.whl",
      "https://index.example/@scope/x?y=a@b#c@d",
      "file:///w/a@b.whl",
      "/home/ada@corp/wheels",
      "./a@b.whl ../a@b.whl ~/a@b.whl C:\\a@b.whl",
    ]
  ) {
    assertEquals(hideCredentials(text), text);
  }
});
