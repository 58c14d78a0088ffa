import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { codeRoot, codeUrl } from "../../backend/src/services/code-links/code-url.ts";
import { refusal } from "../support/assert/refusal.ts";
import { threadMs } from "../support/service/thread-time.ts";

const urls = suite("links to the code as they are stored");

const stored = [
  "",
  "https://gitlab.example.com/acme/web/-/blob/{revision}/{path}#L{line}",
  "http://localhost:3000/acme/web/src/commit/{revision}/backend/{path}#L{line}",
  "https://[2001:db8::1]/acme/web/blob/main/{path}",
  "https://git.example.com/~ada/web/tree/{revision}/item/{path}#L{line}",
  "https://git.example.com/?p=web.git;a=blob;f={path};hb={revision}#l{line}",
  `https://git.example.com/${"x".repeat(255 - 30)}{path}`,
];
for (const text of stored) urls(`"${text}" is stored as it is`, () => assert.is(codeUrl(` ${text} `), text));

const credentials = /Leave the user name and password out/;
const placeholder = /supports the placeholders \{path\}, \{line\} and \{revision\}, not/;
const address = /begins with https:\/\/ or http:\/\/ and a host/;
const path = /needs \{path\}, which stands for the file/;
const refused: [text: string, sentence: RegExp][] = [
  [`https://git.example.com/${"x".repeat(255)}/{path}`, /at most 255 characters/],
  ["https://ada:secret@git.example.com/{path}", credentials],
  ["https://ada@git.example.com/{path}", credentials],
  ["https://git.example.com/{branch}/{path}", placeholder],
  ["https://git.example.com/{path", placeholder],
  ["https://git.example.com/path}", placeholder],
  ["https://git.example.com/{{path}}", placeholder],
  ["https://git.example.com/{}/{path}", placeholder],
  ["https://git.example.com/acme/web/blob/main/", path],
  ["https://{path}", address],
  ["https://{path}/x", address],
  ["https://git{path}.example.com/{path}", address],
  ["https://git.example.com{path}", address],
  ["https://git.example.com:{line}/{path}", address],
  ["git.example.com/{path}", address],
  ["//git.example.com/{path}", address],
  ["/acme/web/{path}", address],
  ["javascript:alert(1)//{path}", address],
  ["data:text/html,{path}", address],
  ["ftp://git.example.com/{path}", address],
  ["https:git.example.com/{path}", address],
  ["https://git.example.com\\@evil.example/{path}", credentials],
  ["https://git.example.com:99999/{path}", address],
  ["https://git.example.com/a b/{path}", address],
  ["https://git.example.com/\n{path}", address],
  ['https://git.example.com/"onclick=x/{path}', address],
  ["https://git.example.com/<b>/{path}", address],
  ["https://git.example.com/a/../{path}", address],
  ["https://git.example.com/%2e%2E/{path}", address],
  ["https://git.example.com/%2{path}", address],
  ["https://git.exämple.com/{path}", address],
];
for (const [text, sentence] of refused)
  urls(`${JSON.stringify(text.slice(0, 60))} is refused`, () => {
    const { reason, field, message } = refusal(() => codeUrl(text));
    assert.equal([reason, field], [ErrorReason.INVALID_FIELD, "code_url"]);
    assert.match(message, sentence);
    assert.not.match(message, "secret");
  });

urls("what is checked takes no time, however it repeats itself", () => {
  for (const part of ["/", "/.", "{", "}", "{path}", "%2e", "@", ":", "a"]) {
    const spent = threadMs(() => {
      for (const start of ["", "https://", "https://a/"]) {
        for (const text of [part.repeat(100_000), part.repeat(40)]) {
          try {
            codeUrl(start + text);
          } catch {
            // refused or not: it is the time that counts
          }
        }
      }
    });
    assert.ok(spent < 200, `${part}: ${spent} ms`);
  }
});

const roots: [text: string, root: string][] = [
  ["", ""],
  ["  ", ""],
  ["/srv/app", "/srv/app/"],
  [" /srv/app/ ", "/srv/app/"],
  ["C:\\code\\shop", "C:/code/shop/"],
  ["app:///", "app:///"],
  ["/", "/"],
];
for (const [text, root] of roots)
  urls(`the source root "${text}" is stored as "${root}"`, () => assert.is(codeRoot(text), root));

for (const text of ["x".repeat(255), "/srv\u0000app", "/srv\n/app"])
  urls(`the source root ${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    const { reason, field } = refusal(() => codeRoot(text));
    assert.equal([reason, field], [ErrorReason.INVALID_FIELD, "code_root"]);
  });

urls.run();
