import { type JsonObject, limits, titleOf } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupHash } from "../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";
import { boom, details, head, synthetic, withFrames } from "../../support/sentry/sentry-event.ts";

const titles = suite("title and culprit");

/** A native crash as its handlers send it: in `read_card` of the application, below a function of the C library. */
function crash(value: string, meta: JsonObject, type = "crash"): JsonObject {
  const frames = [
    { function: "read_card", in_app: true },
    { function: "memcpy", in_app: false },
  ];
  return {
    platform: "native",
    exception: [{ type, value, mechanism: { synthetic: true, handled: false, meta }, stacktrace: { frames } }],
  };
}

const titled: [claim: string, event: JsonObject, title: string][] = [
  ["an empty event has no label", {}, "<unlabeled event>"],
  ["an exception of nothing has no label", { exception: [{ type: null, value: null }] }, "<unlabeled event>"],
  ["an exception of nothing leaves the message", { exception: [{}], message: "m" }, "m"],
  ["type and value", { exception: [boom] }, "Boom: bang"],
  ["the exception that was caught last", { exception: [{ type: "Root" }, boom] }, "Boom: bang"],
  ["a value of many lines gives its first", { exception: [{ type: "T", value: "\r\n a\r\nb" }] }, "T: a"],
  ["U+2028 ends a line", { exception: [{ type: "T", value: "a\u2028b" }] }, "T: a"],
  ["no value leaves the type", { exception: [{ type: "T", value: "" }] }, "T"],
  [
    "an anonymous class of PHP has no path",
    { platform: "php", exception: [{ type: "PDOException@anonymous\0/srv/releases/17/db.php:3$0", value: "gone" }] },
    "PDOException@anonymous: gone",
  ],
  ["no type is an Error", { exception: [{ value: "v" }] }, "Error: v"],
  ["a type of white space is none", { exception: [{ type: " \u00a0", value: "\t" }] }, "Error"],
  ["a title of white space is no label", { title: "\u2003" }, "<unlabeled event>"],
  ["a message's first line", { message: "\n\nfirst\nsecond" }, "first"],
  ["an exception before a message", { exception: [boom], message: "m" }, "Boom: bang"],
  ["an empty message beside an exception, as in Ruby", { exception: [boom], message: "" }, "Boom: bang"],
  ["the event's own title", { exception: [boom], title: "mine" }, "mine"],
  [
    "a synthetic exception keeps type and value",
    synthetic([{ function: "f" }, { function: "<unknown>" }]),
    "Boom: bang",
  ],
  ["so it does without a stack", synthetic([]), "Boom: bang"],
  [
    "a native crash is named by its signal",
    crash("Segfault", { signal: { number: 11, name: "SIGSEGV" } }),
    "SIGSEGV: Segfault",
  ],
  ["a signal may have its number alone", crash("", { signal: { number: 6 } }), "SIGABRT"],
  [
    "a crash of Apple's systems is named by its machine exception",
    crash("KERN_INVALID_ADDRESS at 0x0", { mach_exception: { name: "EXC_BAD_ACCESS" }, signal: { name: "SIGSEGV" } }),
    "EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x0",
  ],
  [
    "a fault that the value begins with is named once",
    crash("SIGSEGV / SEGV_MAPERR", {}, "SIGSEGV"),
    "SIGSEGV / SEGV_MAPERR",
  ],
  [
    "a minidump names its fault as the type",
    crash("0x0", {}, "EXCEPTION_ACCESS_VIOLATION_READ"),
    "EXCEPTION_ACCESS_VIOLATION_READ: 0x0",
  ],
  ["an odd signal names nothing", crash("", { signal: { number: 99, name: {} }, mach_exception: 7 }), "crash"],
  [
    "a thrown exception keeps its type beside a signal",
    { exception: [{ ...boom, mechanism: { meta: { signal: { name: "SIGABRT" } } } }] },
    "Boom: bang",
  ],
  [
    "addresses have no secrets",
    { exception: [{ type: "E", value: "GET (https://ann:pw@h/p?token=t#x), then a@b.c?" }] },
    "E: GET (https://h/p), then a@b.c?",
  ],
  ["neither has the event's own title", { title: `x https://h/?${"a".repeat(300)}` }, "x https://h/"],
  ["HTML is plain text", { message: "<script>alert(1)</script>" }, "<script>alert(1)</script>"],
];

for (const [claim, event, title] of titled) {
  titles(claim, () => {
    assert.is(details(event).title, title);
    assert.is(titleOf(head(event)), title);
  });
}

titles("a title has at most 256 characters, and the type at most 128 of them", () => {
  const long = "x".repeat(1000);
  const title = titleOf(head({ exception: [{ type: long, value: long }] }));
  assert.is(title.length, limits.text.title);
  assert.is(title.indexOf("..."), 125);
  assert.ok(title.endsWith("..."));
});

const frame = { module: "m", filename: "dir/f.x", function: "fn", in_app: true };
const culprits: [claim: string, event: JsonObject, culprit: string][] = [
  ["the transaction comes first", { transaction: "/a", ...withFrames([frame]) }, "/a"],
  ["culprit is an old name of it", { culprit: "old", ...withFrames([frame]) }, "old"],
  ["most platforms say module and function", { platform: "python", ...withFrames([frame]) }, "m in fn"],
  ["without module the file is named", withFrames([{ ...frame, module: null }]), "dir/f.x in fn"],
  ["JavaScript says function and module", { platform: "node", ...withFrames([frame]) }, "fn(m)"],
  ["native platforms say the function", { platform: "native", ...withFrames([frame]) }, "fn"],
  [
    "the newest frame of the application counts",
    withFrames([{ ...frame, function: "old" }, frame, { ...frame, function: "lib", in_app: false }]),
    "m in fn",
  ],
  ["without any the newest counts", withFrames([{ ...frame, in_app: false, function: "lib" }]), "m in lib"],
  [
    "the last exception that has frames counts, as in Go",
    { exception: [{ ...boom, stacktrace: [frame] }, boom] },
    "m in fn",
  ],
  ["a synthetic exception keeps its place", synthetic([frame]), "m in fn"],
  ["a native crash names its function", crash("Segfault", { signal: { name: "SIGSEGV" } }), "read_card"],
  [
    "a frame of the SDK is not the application's, though it says so",
    {
      platform: "ruby",
      message: "m",
      threads: [{ stacktrace: [frame, { ...frame, module: null, filename: "lib/sentry/hub.rb" }] }],
    },
    "m in fn",
  ],
  [
    "the SDK's own frame is no place of a message, wherever the SDK lies and whatever it is marked",
    {
      platform: "ruby",
      message: "m",
      threads: [
        {
          stacktrace: [
            { function: "pay", filename: "pay.rb", abs_path: "/srv/pay.rb", in_app: false },
            { function: "call", filename: "rack.rb", abs_path: "/gems/rack-2.0/lib/rack.rb", in_app: false },
            { function: "capture", filename: "sentry/hub.rb", abs_path: "/x/lib/sentry/hub.rb", in_app: true },
          ],
        },
      ],
    },
    "pay.rb in pay",
  ],
  [
    "a message from libraries alone names none",
    {
      platform: "ruby",
      message: "m",
      threads: [{ stacktrace: [{ ...frame, abs_path: "/gems/a-1/b.rb", in_app: false }] }],
    },
    "",
  ],
  [
    "a panic is in the application",
    {
      platform: "native",
      ...withFrames([
        { function: "shop::main::{{closure}}", abs_path: "/srv/shop/src/main.rs", in_app: true },
        { function: "core::panicking::panic", abs_path: "/rustc/1/core/src/panicking.rs", in_app: false },
        { function: "__rustc::rust_begin_unwind", abs_path: "/rustc/1/std/src/panicking.rs", in_app: true },
      ]),
    },
    "shop::main::{{closure}}",
  ],
  [
    "an address has no scheme, user, query or fragment",
    { message: "m", request: { url: "https://ann:pw@h/p?token=t#access_token=z" } },
    "h/p",
  ],
  [
    "a route in a fragment stays",
    { message: "m", request: { url: "https://h/?a=b#!/orders/7?token=t" } },
    "h/#!/orders/7",
  ],
  [
    "a route may be sent apart from its address",
    { message: "m", request: { url: "https://h/app", fragment: "/cart?step=3" } },
    "h/app#/cart",
  ],
  ["a transaction that is an address", { transaction: "GET https://ann:pw@h/p?token=t" }, "GET https://h/p"],
  ["a transaction with a query", { transaction: "/reset?token=t&a=b" }, "/reset"],
  ["a pattern of a route is no query", { transaction: "^cart/(?P<id>\\d+)/:page?$" }, "^cart/(?P<id>\\d+)/:page?$"],
  ["a request's URL is better than nothing", { exception: [boom], request: { url: "http://h/p" } }, "h/p"],
  [
    "a closure of PHP has no path of a release",
    {
      platform: "php",
      ...withFrames([
        {
          function: "{closure:/srv/shop/releases/20261127091500/routes/web.php:12}",
          filename: "/srv/shop/releases/20261127091500/routes/web.php",
          in_app: true,
        },
      ]),
    },
    "routes/web.php in {closure}",
  ],
  [
    "a method of an anonymous class of PHP has no path either",
    {
      platform: "php",
      ...withFrames([
        { function: "Shop\\Cart@anonymous\0/srv/shop/cart.php:12$0::pay", filename: "cart.php", in_app: true },
      ]),
    },
    "cart.php in Shop\\Cart@anonymous::pay",
  ],
  [
    "a template of Rails has no hash",
    {
      platform: "ruby",
      ...withFrames([
        {
          function: "_app_views_orders_show_html_erb___1234567890_70012345",
          filename: "app/views/orders/show.html.erb",
          in_app: true,
        },
      ]),
    },
    "app/views/orders/show.html.erb in _app_views_orders_show_html_erb",
  ],
  [
    "a class that Spring generates has the name of its source",
    {
      platform: "java",
      ...withFrames([{ module: "shop.Cart$$EnhancerBySpringCGLIB$$1a2b3c4d", function: "pay", in_app: true }]),
    },
    "shop.Cart in pay",
  ],
  [
    "names that people gave stay as they are",
    { platform: "ruby", ...withFrames([{ ...frame, module: null, function: "block (2 levels) in Cart#save_2" }]) },
    "dir/f.x in block (2 levels) in Cart#save_2",
  ],
  ["a message's stack names one", { message: "m", threads: [{ stacktrace: [frame] }] }, "m in fn"],
  ["nothing is fine", { message: "m" }, ""],
];

for (const [claim, event, culprit] of culprits) {
  titles(claim, () => {
    assert.is(head(event).culprit, culprit);
    assert.is(details(event).culprit, culprit);
  });
}

titles("a fingerprint with the transaction keeps the culprit of its group", () => {
  const fingerprint = ["{{ transaction }}"];
  const sdk = { function: "capture", filename: "lib/sentry/hub.rb", in_app: true };
  const own = { function: "pay", filename: "pay.rb", in_app: true };
  const event = head({ platform: "ruby", fingerprint, message: "m", threads: [{ stacktrace: [own, sdk] }] });
  assert.equal([event.culprit, event.groupingCulprit], ["pay.rb in pay", "lib/sentry/hub.rb in capture"]);
  assert.is(
    groupHash(event),
    groupHash({ ...event, culprit: "lib/sentry/hub.rb in capture", groupingCulprit: undefined }),
  );
  const crashed = head({ fingerprint, ...crash("Segfault", { signal: { name: "SIGSEGV" } }) });
  assert.equal([crashed.culprit, crashed.groupingCulprit], ["read_card", ""]);
  assert.is(head({ transaction: "/pay", fingerprint }).groupingCulprit, undefined);
});

titles("a fingerprint with addresses keeps the group that it had", () => {
  const fingerprint = ["{{ transaction }}", "{{ tags.url }}", "{{ tags.page }}", "{{ tags.box }}"];
  const event = head({
    fingerprint,
    message: "m",
    request: { url: "https://ann:pw@h/p?token=t#/route" },
    tags: { page: "https://h/?a=b", box: { a: 1 } },
  });
  assert.is(event.tags["url"], "https://h/p#/route");
  assert.is(
    groupHash(event),
    groupHash({
      ...event,
      culprit: "https://ann:pw@h/p?token=t#/route",
      groupingCulprit: undefined,
      tags: { url: "https://ann:pw@h/p", page: "https://h/?a=b" },
      groupingTags: {},
    }),
  );
});

titles.run();
