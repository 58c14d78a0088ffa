import { execFileSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  hideSecrets,
  prettyBody,
  requestAsCurl,
} from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/http-request.ts";
import { pastable } from "../../../console/src/lib/components/pastable.ts";
import { httpRequest } from "../../support/console/console-messages.ts";

/** The arguments that a shell hands to curl. */
function argumentsOf(command: string): string[] {
  const output = execFileSync("sh", [
    "-c",
    `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`,
  ]);
  return output.toString().split("\0").slice(0, -1);
}

const curl = suite("request as curl");

curl("a GET is the address alone", () => {
  assert.is(requestAsCurl(httpRequest()), "curl --url 'https://shop.example/checkout'");
});

curl("method, query, headers and body are kept", () => {
  const request = httpRequest({
    method: "POST",
    queryString: "a=1&b=2",
    headers: { "Content-Type": "application/json" },
    data: '{"id":1}',
  });
  assert.equal(argumentsOf(requestAsCurl(request)), [
    "-X",
    "POST",
    "--url",
    "https://shop.example/checkout?a=1&b=2",
    "-H",
    "Content-Type: application/json",
    "--data-raw",
    '{"id":1}',
  ]);
});

curl("a GET with a body stays a GET", () => {
  assert.equal(argumentsOf(requestAsCurl(httpRequest({ data: "x" }))).slice(0, 2), ["-X", "GET"]);
});

curl("brackets in an address are not ranges", () => {
  assert.ok(argumentsOf(requestAsCurl(httpRequest({ queryString: "filter[a]={1}" }))).includes("--globoff"));
});

const hostile = [
  `'; touch pwned; '`,
  `$(touch pwned) \`touch pwned\` "quoted" \\'`,
  "it's",
  "'''",
  "line\nbreak",
  "-o/etc/passwd",
  "$HOME !! *",
];

for (const text of hostile) {
  curl(`${JSON.stringify(text)} from an event reaches curl as text, wherever it stands`, () => {
    const request = httpRequest({ method: text, url: text, headers: { [text]: text }, data: text });
    assert.equal(
      argumentsOf(requestAsCurl(request)).filter((argument) => argument !== "--globoff"),
      ["-X", text, "--url", text, "-H", `${text}: ${text}`, "--data-raw", text],
    );
  });
}

const secrets = [
  "Authorization",
  "authorization",
  "AUTHORIZATION",
  "Cookie",
  "Set-Cookie",
  "Proxy-Authorization",
  "X-Api-Key",
  "X-Auth-Token",
  "Private-Token",
];

curl("the command neither prints secrets nor mentions them", () => {
  const headers = Object.fromEntries(secrets.map((name) => [name, "hunter2"]));
  const command = requestAsCurl(
    httpRequest({ headers: { ...headers, Accept: "*/*" }, cookies: { session: "hunter2" } }),
  );
  assert.is(command, "curl --url 'https://shop.example/checkout' -H 'Accept: */*'");
});

curl("what the SDK has filtered is left out", () => {
  assert.not.match(requestAsCurl(httpRequest({ headers: { "X-Mine": "[Filtered]" } })), /X-Mine/);
});

curl("a copied command holds no control character that a shell would obey", () => {
  const command = requestAsCurl(
    httpRequest({ headers: { "User-Agent": "Mozilla\u0015touch pwned\n#\u001b[201~\u0085" } }),
  );
  assert.match(pastable(command), "-H 'User-Agent: Mozillatouch pwned\n#[201~'");
  assert.is(pastable("\tindented\nlines\r\n"), "\tindented\nlines\n");
});

curl.run();

const hidden = suite("hidden values");

for (const name of [...secrets, "HTTP_AUTHORIZATION", "HTTP_COOKIE", "http_x_api_key"]) {
  hidden(`the value of ${name} is hidden`, () => assert.equal(hideSecrets({ [name]: "x" }), { [name]: "[Filtered]" }));
}

hidden("other values stay, whatever they are", () => {
  const values = { Accept: "*/*", HTTP_HOST: "shop.example", REMOTE_PORT: 80, "X-Cookie-Consent": "yes" };
  assert.equal(hideSecrets(values), values);
});

hidden.run();

const body = suite("request body");

for (const [text, shown] of [
  ['{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'],
  ["a=1&b=2", "a=1&b=2"],
  ['{"cut":', '{"cut":'],
  ["", ""],
] as const) {
  body(`${JSON.stringify(text)} shows as ${JSON.stringify(shown)}`, () => assert.is(prettyBody(text), shown));
}

body.run();
