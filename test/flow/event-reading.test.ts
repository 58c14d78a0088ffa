import type { Event, GetEventResponse } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../support/core/project.ts";
import { storedErrors } from "../support/database/stored.ts";
import { http } from "../support/http/http.ts";
import { rest } from "../support/rest/rest.ts";
import { envelope, newEventId, sendEnvelope, sendEvent, sendStore } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";

/** How Faultline reads fields of an event that SDKs fill in different ways. */

const { server, client } = await sharedServer();

type Json = Readonly<Record<string, unknown>>;

/** Sends an event to a project, by default a new one; the error that it became, and the event as it is shown. */
async function sent(event: Json, project?: Awaited<ReturnType<typeof createProject>>) {
  const { id: projectId, key } = project ?? (await createProject(server));
  const eventId = newEventId();
  const answer = await sendEvent(server, { id: projectId, key }, { event_id: eventId, ...event });
  assert.is(answer.status, 200, answer.text);
  const response: GetEventResponse = await client.errors.getEvent({ projectId, eventId }, client.auth);
  const shown = response.event as Event;
  const found = (query: string) => client.errors.listErrors({ projectId, query }, client.auth);
  const [error] = (await found("")).errors;
  assert.ok(error);
  return { projectId, shown, error, finds: async (query: string) => (await found(query)).errors.length };
}

test("no name of an error has user, query or fragment of an address", async () => {
  const address = "https://ann:pw@shop.example.com/reset?token=s3cret&mail=ann@example.com#access_token=zzz";
  for (const event of [
    { request: { url: address } },
    { transaction: address },
    { culprit: address },
    { title: `GET ${address}` },
    { exception: [{ type: "HttpError", value: `GET ${address} failed` }] },
    { tags: { url: address, page: address } },
  ]) {
    const { projectId, error, shown, finds } = await sent({
      platform: "javascript",
      message: `at ${address}`,
      ...event,
    });
    const listed = await rest(server, `GET /projects/${projectId}/error_tracking/errors`);
    const names = [listed.text, error.title, error.value, error.culprit];
    names.push(JSON.stringify([shown.title, shown.culprit, shown.transaction, shown.tags, shown.request?.url]));
    for (const name of names) assert.not.match(name, /ann|pw@|s3cret|access_token|zzz/, JSON.stringify(event));
    assert.match(names.join(" "), "shop.example.com/reset");
    for (const query of ["s3cret", "url:*s3cret*", "transaction:*s3cret*", "zzz"]) assert.is(await finds(query), 0);
  }
});

const routes: [request: Json, url: string, query: string, tag: string][] = [
  [
    { url: "https://shop.example.com/#/display/12345" },
    "https://shop.example.com/#/display/12345",
    "",
    "https://shop.example.com/#/display/12345",
  ],
  [
    { url: "https://shop.example.com/app?tab=2#/cart?step=3&token=s3cret", fragment: "/cart?step=3" },
    "https://shop.example.com/app#/cart?step=3&token=[Filtered]",
    "tab=2",
    "https://shop.example.com/app#/cart",
  ],
  [
    { url: "https://shop.example.com/#!/orders/77" },
    "https://shop.example.com/#!/orders/77",
    "",
    "https://shop.example.com/#!/orders/77",
  ],
  [
    { url: "https://shop.example.com/", fragment: "/orders/78" },
    "https://shop.example.com/#/orders/78",
    "",
    "https://shop.example.com/#/orders/78",
  ],
  [{ url: "https://shop.example.com/p#terms" }, "https://shop.example.com/p", "", "https://shop.example.com/p"],
];

for (const [request, url, query, tag] of routes) {
  test(`the request, the place and the tag of ${JSON.stringify(request)} have its route`, async () => {
    const { error, shown, finds } = await sent({ message: "m", request });
    const place = tag.replace("https://", "");
    assert.equal([shown.request?.url, shown.request?.queryString, error.culprit], [url, query, place]);
    assert.is(await finds(`url:"${tag}"`), 1);
  });
}

test("an environment with a slash, and tags of any name, are kept and found", async () => {
  const long = "k".repeat(210);
  const kept = {
    "slash/1": "some-value",
    город: "Köln",
    "with-space": "ok",
    "a@b": "c",
    plan: "pro",
    [`${long.slice(0, 197)}...`]: "long",
    obj: '{"a":1}',
    flag: "true",
  };
  const { shown, finds } = await sent({
    message: "m",
    environment: "review/feature-login",
    tags: {
      "slash/1": "some-value",
      город: "Köln",
      "with space": "ok",
      "a@b": "c",
      plan: "pro",
      [long]: "long",
      obj: { a: 1 },
      flag: true,
      empty: "",
      none: null,
      release: "shadow",
      user: "bob",
      environment: "fromtag",
    },
  });
  assert.is(shown.environment, "review/feature-login");
  assert.equal(Object.entries(shown.tags).toSorted(), Object.entries(kept).toSorted());
  assert.equal(
    shown.trimmed.map(({ part, kept: some, sent: all }) => [part, some, all]).toSorted(),
    [
      ["tags", 8, 13],
      ...["empty", "environment", "none", "release", "user"].map((name) => [`tags.${name}`, 0, 1]),
      [`tags.${long.slice(0, 197)}...`, 200, 210],
    ].toSorted(),
  );
  assert.is(await finds("environment:review/feature-login"), 1);
  for (const [key, value] of Object.entries(kept)) {
    assert.is(await finds(`tags[${key}]:"${value.replaceAll('"', '\\"')}"`), 1, key);
  }
});

test("times are read in each unit, also of breadcrumbs, and console texts of breadcrumbs are filled in", async () => {
  const at = Date.now() - 3_600_000;
  for (const timestamp of [at / 1000, at, at * 1000, at * 1e6, `${at}000000`]) {
    const crumb = { category: "console", message: "user %s", data: { arguments: ["user %s", "ann"] }, timestamp };
    const { shown } = await sent({ message: "m", timestamp, breadcrumbs: [crumb] });
    const times = [shown.occurredTime, shown.breadcrumbs[0]?.time].map((time) => time && Number(time.seconds));
    assert.equal(times, [Math.floor(at / 1000), Math.floor(at / 1000)], String(timestamp));
    assert.is(shown.breadcrumbs[0]?.message, "user ann");
  }
});

const frames: [claim: string, event: Json, place: string, own: string[]][] = [
  [
    "a package that in_app_include names raised the error",
    {
      platform: "php",
      exception: [
        {
          type: "RuntimeException",
          value: "no stock",
          stacktrace: {
            frames: [
              {
                function: "{main}",
                filename: "/public/index.php",
                abs_path: "/var/www/public/index.php",
                in_app: true,
              },
              { function: "then", filename: "/vendor/l/P.php", abs_path: "/var/www/vendor/l/P.php", in_app: false },
              {
                function: "Invoice::total",
                filename: "/vendor/a/I.php",
                abs_path: "/var/www/vendor/a/I.php",
                in_app: true,
              },
            ],
          },
        },
      ],
    },
    "/vendor/a/I.php in Invoice::total",
    ["{main}", "Invoice::total"],
  ],
  [
    "a panic is raised in the application",
    {
      platform: "native",
      exception: [
        {
          type: "panic",
          value: "index out of bounds",
          stacktrace: {
            frames: [
              { function: "shop::main", abs_path: "/srv/shop/src/main.rs", filename: "main.rs", in_app: true },
              { function: "core::panicking::panic", filename: "panicking.rs", in_app: false },
              {
                function: "__rustc::rust_begin_unwind",
                abs_path: "/rustc/59807616/library/std/src/panicking.rs",
                filename: "panicking.rs",
                in_app: true,
              },
            ],
          },
        },
      ],
    },
    "shop::main",
    ["shop::main"],
  ],
  [
    "a message of Ruby is raised where it was sent from",
    {
      platform: "ruby",
      message: "m",
      threads: [
        {
          current: true,
          stacktrace: {
            frames: [
              { function: "pay", filename: "pay.rb", abs_path: "/srv/pay.rb", in_app: false },
              {
                function: "capture_message",
                filename: "sentry/hub.rb",
                abs_path: "/bundle/gems/sentry-ruby-6.0.0/lib/sentry/hub.rb",
                in_app: false,
              },
            ],
          },
        },
      ],
    },
    "pay.rb in pay",
    [],
  ],
];

for (const [claim, event, place, own] of frames) {
  test(claim, async () => {
    const { error, shown } = await sent(event);
    const stacks = [...shown.exceptions, ...shown.threads].flatMap((one) => one.frames);
    assert.equal([error.culprit, shown.culprit], [place, place]);
    assert.equal(
      stacks.filter(({ inApp }) => inApp).map((frame) => frame.function),
      own,
    );
  });
}

test("an exception is an error, also where it says that it is a transaction", async () => {
  const project = await createProject(server);
  const event = { type: "transaction", exception: { values: [{ type: "ValueError", value: "no transaction" }] } };
  await sendStore(server, project, { event_id: newEventId(), ...event });
  await sendEvent(server, project, { event_id: newEventId(), ...event });
  const record = { event_id: newEventId(), type: "transaction", spans: [] };
  await sendStore(server, project, record);
  await sendEnvelope(server, project, envelope(record.event_id, [{ type: "event" }, record]));
  const errors = await storedErrors(client, project.id);
  assert.equal(
    errors.map(({ title, eventCount }) => [title, Number(eventCount)]),
    [["ValueError: no transaction", 2]],
  );
});

test("code that a policy blocked is distinguished by its source", async () => {
  const project = await createProject(server);
  const page = "https://shop.example.com/cart";
  for (const report of [
    { "document-uri": page, "source-file": "https://shop.example.com/js/app.js" },
    { "document-uri": "https://shop.example.com/help", "source-file": "https://shop.example.com/js/other.js" },
    { "document-uri": "about" },
    { "document-uri": page, "source-file": "chrome-extension" },
    { "document-uri": page, "source-file": "chrome-extension://abcdef/inject.js" },
    { "document-uri": page, "source-file": "https://tags.example.net/t.js" },
    { "document-uri": page },
  ]) {
    const body = JSON.stringify({
      "csp-report": { "effective-directive": "script-src", "blocked-uri": "eval", ...report },
    });
    const { status } = await http(`${server.url}/api/${project.id}/security/?sentry_key=${project.key}`, {
      method: "POST",
      headers: { "Content-Type": "application/csp-report", "Content-Length": `${Buffer.byteLength(body)}` },
      body,
    });
    assert.is(status, 200);
  }
  const errors = await storedErrors(client, project.id);
  assert.equal(errors.map(({ title, eventCount }) => `${Number(eventCount)} ${title}`).toSorted(), [
    "1 CSP: Blocked script-src from eval by about",
    "1 CSP: Blocked script-src from eval by an unknown script",
    "1 CSP: Blocked script-src from eval by https://tags.example.net",
    "2 CSP: Blocked script-src from eval",
    "2 CSP: Blocked script-src from eval by chrome-extension",
  ]);
});

test.run();
