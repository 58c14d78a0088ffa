import { hideSecrets, isSecretName } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hideSecrets as hideOnPage } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/http-request.ts";

const secrets = suite("hidden secrets");
const filtered = "[Filtered]";
const card = "4111 1111 1111 1111";

const hidden: [claim: string, value: unknown, shown: unknown][] = [
  [
    "a header",
    { headers: { Authorization: "Bearer abc", Accept: "*/*" } },
    { headers: { Authorization: filtered, Accept: "*/*" } },
  ],
  [
    "headers as pairs",
    [
      ["Cookie", "sid=abc"],
      ["Host", "h"],
    ],
    [
      ["Cookie", filtered],
      ["Host", "h"],
    ],
  ],
  ["headers as key and value", [{ key: "x-api-key", value: "abc" }], [{ key: "x-api-key", value: filtered }]],
  ["headers with lists of values, as PHP sends them", { cookie: ["a=b"] }, { cookie: filtered }],
  [
    "variables of the server",
    { env: { HTTP_COOKIE: "a", REMOTE_ADDR: "1.2.3.4" } },
    { env: { HTTP_COOKIE: filtered, REMOTE_ADDR: "1.2.3.4" } },
  ],
  ["cookies, whose names stay", { cookies: { sid: "abc" } }, { cookies: { sid: filtered } }],
  ["cookies as text", { cookies: "sid=abc; a=b" }, { cookies: filtered }],
  ["headers at any depth", { a: [{ b: { "Set-Cookie": 7 } }] }, { a: [{ b: { "Set-Cookie": filtered } }] }],
  ["a bearer token in a text", "curl -H Bearer abc123def", "curl -H Bearer [Filtered]"],
  ["basic credentials in a text", "sent Basic dXNlcjpwYXNz1g==", "sent Basic [Filtered]"],
  ["a header in a text of lines", "GET /\nCookie: sid=abc\nHost: h", "GET /\nCookie: [Filtered]\nHost: h"],
  [
    "users and secret parameters of addresses",
    "GET https://ann:pw@h/p?mail=a&token=t3&x=1#access_token=z",
    "GET https://[Filtered]@h/p?mail=a&token=[Filtered]&x=1#access_token=[Filtered]",
  ],
  ["secret parameters of a query or a form", "password=hunter2&page=2", "password=[Filtered]&page=2"],
  ["a card", `paid with ${card}.`, `paid with ${filtered}.`],
  ["a card with dashes", "4111-1111-1111-1111", filtered],
  ["a card of 15 digits", "378282246310005", filtered],
  ["a card as a number", { number: 5555555555554444 }, { number: filtered }],
  ["JSON in a text", `{"a":{"authorization":"x"},"n":1}`, `{"a":{"authorization":"${filtered}"},"n":1}`],
  ["JSON in JSON", JSON.stringify({ data: `{"cookie":"a"}` }), JSON.stringify({ data: `{"cookie":"${filtered}"}` })],
  ["a card as a number in JSON", `{"n":4111111111111111}`, `{"n":"${filtered}"}`],
  ["JSON with a secret that was cut off", `{"authorization":"Bearer ab`, filtered],
];

for (const [claim, value, shown] of hidden) {
  secrets(`${claim} is hidden`, () => assert.equal(hideSecrets(value), shown));
}

const shown: [claim: string, value: unknown][] = [
  ["empty values under a secret name", { authorization: "", cookie: null, cookies: {}, "x-api-key": false }],
  ["names that only contain one", { "cookie-consent": "yes", authorized: "no", author: "ann" }],
  ["parameters and addresses without secrets", "https://h:80/p?author=ann&tokyo=1#/r mail a@b.c, monkey=1"],
  ["words about authentication", "Basic authentication failed: Bearer token expected"],
  ["digits with a wrong check digit", "4111 1111 1111 1112"],
  ["a time in milliseconds", { at: 1795216640676, text: "1795216640676" }],
  ["an id", "41111111111111111111111111111111"],
  ["a card's digits within a word", "order-4111111111111111x"],
  ["JSON that hides nothing, with its layout", '{ "a" : 12345678901234567890 }'],
  ["texts that begin like JSON and name no secret", '{"a": cake'],
];

for (const [claim, value] of shown) {
  secrets(`${claim} are shown`, () => assert.is(hideSecrets(value), value));
}

secrets("each name that the page hides is hidden", () => {
  const names = [
    "Authorization",
    "Cookie",
    "Private-Token",
    "Proxy-Authorization",
    "Set-Cookie",
    "X-Api-Key",
    "X-Auth-Token",
    "X-Csrf-Token",
  ];
  assert.equal(
    Object.values(hideOnPage(Object.fromEntries(names.map((name) => [name, "x"])))),
    names.map(() => filtered),
  );
  for (const name of names) assert.ok(isSecretName(name), name);
});

secrets("values too deep to look into are hidden", () => {
  const deep = `{"cookie":${"[".repeat(5_000)}"secret"${"]".repeat(5_000)}}`;
  assert.not.match(hideSecrets(deep), "secret");
  const list = JSON.parse(`${"[".repeat(5_000)}"secret"${"]".repeat(5_000)}`) as unknown;
  assert.not.match(JSON.stringify(hideSecrets(list)), "secret");
});

secrets("thousands of texts of JSON are not all parsed", () => {
  const texts = Array.from({ length: 5_000 }, () => `{"cookie":"secret"}`);
  const found = hideSecrets(texts);
  assert.not.match(JSON.stringify(found), "secret");
  assert.equal([found[0], found.at(-1)], [`{"cookie":"${filtered}"}`, filtered]);
});

secrets("a value is not changed in place", () => {
  const event = { request: { headers: { cookie: "a" } } };
  hideSecrets(event);
  assert.is(event.request.headers.cookie, "a");
});

secrets.run();
