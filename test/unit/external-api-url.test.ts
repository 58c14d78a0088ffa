import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { externalApiUrl } from "../../backend/src/services/projects/external-project.ts";
import { refusal } from "../support/assert/refusal.ts";
import { threadMs } from "../support/service/thread-time.ts";

const urls = suite("external API URL");

const stored: [text: string, url: string][] = [
  ["", ""],
  ["  ", ""],
  ["/", ""],
  ["https://errors.example.com", "https://errors.example.com"],
  [" https://errors.example.com/ ", "https://errors.example.com"],
  ["HTTPS://Errors.Example.COM", "https://errors.example.com"],
  ["https://errors.example.com:443", "https://errors.example.com"],
  ["http://errors.example.com:9000/base//", "http://errors.example.com:9000/base"],
  ["https://[2001:DB8::1]:9000", "https://[2001:db8::1]:9000"],
  ["http://errors.example.com:80/A/b-c_d.e~f", "http://errors.example.com/A/b-c_d.e~f"],
  ["https://errors.example.com/api/0/", "https://errors.example.com"],
  ["https://errors.example.com/base/api/0/projects/acme/shop/", "https://errors.example.com/base"],
  ["https://errors.example.com/api/01", "https://errors.example.com/api/01"],
  ["https://errors.example.com.", "https://errors.example.com"],
  ["https://errors.example.com.:8443/", "https://errors.example.com:8443"],
  ["http://sentry_web:9000", "http://sentry_web:9000"],
  ["http://0x7f.1", "http://127.0.0.1"],
];

for (const [text, url] of stored) urls(`"${text}" is stored as "${url}"`, () => assert.is(externalApiUrl(text), url));

const refused = [
  "errors.example.com",
  "//errors.example.com",
  "ftp://errors.example.com",
  "javascript:alert(1)",
  "https:errors.example.com",
  "https:///errors.example.com",
  "https://",
  "https://user@errors.example.com",
  "https://user:password@errors.example.com",
  "https://errors.example.com?x=1",
  "https://errors.example.com#x",
  "https://errors.example.com\\@evil.example",
  "https://errors.example.com/../x",
  "https://errors.example.com/a/.",
  "https://errors.exa\tmple.com",
  "https://errors.example.com/a\nb",
  "https://errors.example.com/a b",
  "https://errörs.example.com",
  "https://errors.example.com:99999",
  "https://errors.example.com:",
  "https://%65rrors.example.com",
  "https://errors.example.com/%2e%2e/x",
  "https://errors.example.com/a%2fb",
  "https://errors.example.com/a//b",
  "https://errors.example.com/a;b",
  "https://errors.example.com/a:b",
  "https://errors.example.com/$(x)",
  "https://errors.example.com/<script>",
  "https://①②⑦.⓪.⓪.①",
  "https://１２７.0.0.1",
  "https://256.256.256.256",
  "https://[::1",
  "https://[::1%25eth0]",
  "https://.",
  "https://..",
  `https://errors.example.com/${"x".repeat(255)}`,
];

for (const text of refused) {
  urls(`${JSON.stringify(text.slice(0, 45))} is refused`, () => {
    const { reason, field } = refusal(() => externalApiUrl(text));
    assert.is(reason, ErrorReason.INVALID_FIELD);
    assert.is(field, "external_api_url");
  });
}

urls("a megabyte of slashes is refused without work", () => {
  const ms = threadMs(() => refusal(() => externalApiUrl(`https://h/${"/".repeat(1_000_000)}a`)));
  assert.ok(ms < 1000); // a pattern that looks for the last slashes took minutes
});

urls.run();
