import { test } from "uvu";
import * as assert from "uvu/assert";
import { http } from "../../support/http/http.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootToken, startServer } from "../../support/service/server.ts";

const [plain, proxied] = await Promise.all([
  startServer(),
  startServer({ env: { FAULTLINE_BASE_URL: "https://errors.example.com" } }),
]);
test.after(async () => {
  await Promise.all([plain.stop(), proxied.stop()]);
});

const first = (origin: string) =>
  `<${origin}/api/v4/projects?search=a%26b&page=1&per_page=20>; rel="first", <${origin}/api/v4/projects?search=a%26b&page=1&per_page=20>; rel="last"`;

test("links begin with the configured address, whatever the caller called us", async () => {
  const answer = await rest(proxied, "GET /projects?search=a%26b");
  assert.is(answer.headers["link"], first("https://errors.example.com"));
});

for (const [host, origin] of [
  ["faultline.lan:8080", "http://faultline.lan:8080"],
  ["[::1]:8080", "http://[::1]:8080"],
  ["a b", ""],
  ['x>; rel="next"', ""],
  ["evil.example/path", ""],
  ["user@evil.example", ""],
] as const)
  test(`without one, the host ${host} is ${origin === "" ? "not repeated" : "what links begin with"}`, async () => {
    const answer = await http(`${plain.url}/api/v4/projects?search=a%26b`, {
      headers: { Host: host, "PRIVATE-TOKEN": rootToken },
    });
    assert.is(answer.status, 200, answer.text);
    assert.is(answer.headers["link"], first(origin));
  });

test.run();
