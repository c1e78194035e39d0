import { assertEquals } from "../../deps/assert.ts";
import { toText } from "./addresses.ts";
import { maybeHost, maybeMeant, namedIpv6, namedRanges } from "./hosts.ts";

Deno.test("maybeHost() gives each host its one spelling", () => {
  const hosts = {
    "*": "*",
    "Example.COM": "example.com",
    "example.com.": "example.com",
    "example.com:0443": "example.com:443",
    "*.example.com": "*.example.com",
    "*.example.com:8080": "*.example.com:8080",
    "my_service.local": "my_service.local",
    "localhost:65535": "localhost:65535",
    "10.0.0.5": "10.0.0.5",
    "10.0.0.5:80": "10.0.0.5:80",
    "10.0.0.0/8": "10.0.0.0/8",
    "::1": "[::1]",
    "[::1]:8000": "[::1]:8000",
    "[0:0::1]": "[::1]",
    "10.0.0.0/8:443": "10.0.0.0/8:443",
    "b\u00fccher.example": "xn--bcher-kva.example",
  };
  for (const [text, host] of Object.entries(hosts)) {
    assertEquals(maybeHost(text), host, text);
  }
});

Deno.test("maybeHost() knows no URL, no bad port and no odd form of an address", () => {
  const texts = [
    ...["", " ", ".", "*.", "**", "a*.example.com", "*:80", "a..b", "-a.com"],
    ...[
      "http://example.com",
      "example.com/",
      "example.com/path",
      "u@example.com",
    ],
    ...["example.com:", "example.com:0", "example.com:65536", "a:b", "a:-1"],
    ...[
      "10.0.0",
      "10.0.0.256",
      "010.0.0.1",
      "2130706433",
      "0x7f.0.0.1",
      "1.2.3.4.5",
    ],
    ...[
      "10.0.0.1/8",
      "10.0.0.0/33",
      "fd00::/8",
      "[fd00::]/8",
      "[::1",
      "::1]",
      "[::1]x",
      "[::g]",
      "1:2:3:4:5:6:7:8:80",
    ],
    ...[
      "a b",
      "a,b",
      "exa\u0000mple.com",
      "example.com\n",
      `${"a".repeat(64)}.`.repeat(5),
    ],
  ];
  for (const text of texts) assertEquals(maybeHost(text), undefined, text);
});

Deno.test("maybeMeant() finds the host in a URL", () => {
  assertEquals(maybeMeant("https://example.com/a?b"), "example.com");
  assertEquals(maybeMeant("http://u:p@Example.com:8080"), "example.com:8080");
  assertEquals(maybeMeant("example.com/path"), "example.com");
  assertEquals(maybeMeant("http://[::1]:80/"), "[::1]:80");
  for (const text of ["example.com:0", "http://", "", "/etc", "a b"]) {
    assertEquals(maybeMeant(text), undefined, text);
  }
});

Deno.test("namedRanges() and namedIpv6() are addresses that are listed, and those of localhost", () => {
  const hosts = [
    ...["a.com", "*", "localhost:80", "10.0.0.0/8", "[fd00::1]:443"],
    ...["1.2.3.4:5", "[::1]"],
  ];
  assertEquals(
    namedRanges(hosts).map(toText),
    ["127.0.0.1", "10.0.0.0/8", "1.2.3.4"],
  );
  assertEquals(namedIpv6(hosts), ["localhost", "[fd00::1]", "[::1]"]);
});
