import { suite } from "uvu";
import * as assert from "uvu/assert";
import { webAddress } from "../../../console/src/lib/navigation/web-address.ts";

const addresses = suite("web address");

for (const text of [
  "",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "\u0001javascript:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://errors.example/1",
  "//evil.example",
  "/path",
  "http://",
]) {
  addresses(`A62: ${JSON.stringify(text)} is no link`, () => assert.is(webAddress(text), undefined));
}

for (const [text, address] of [
  ["https://errors.example/organizations/a/issues/1/", "https://errors.example/organizations/a/issues/1/"],
  ["http://10.0.0.1:9000/x", "http://10.0.0.1:9000/x"],
  ["HTTPS://errors.example", "https://errors.example/"],
  [" https://errors.example/a b", "https://errors.example/a%20b"],
] as const) {
  addresses(`${text} is a link`, () => assert.is(webAddress(text), address));
}

addresses.run();
