import type { JsonObject, JsonValue } from "@faultline/sentry-event";

/** Events that are so many errors. */
export interface Kind {
  readonly name: string;
  readonly errors: number;
  readonly events: readonly JsonObject[];
}

type Fields = Readonly<Record<string, JsonValue>>;

/** An event of one exception with a stack of own frames. */
export function thrown(platform: string, frames: readonly Fields[], exception: Fields = {}): JsonObject {
  const stacktrace = { frames: frames.map((frame) => ({ in_app: true, lineno: 3, ...frame })) };
  return { platform, exception: { values: [{ type: "E", value: "x", stacktrace, ...exception }] } };
}

const ofFrames = (platform: string, ...frames: readonly Fields[]) => frames.map((frame) => thrown(platform, [frame]));

const synthetic = { mechanism: { type: "generic", handled: true, synthetic: true } };

/** A member of a group, or the group itself. */
function member(id: number, parent: number | undefined, fields: Fields): JsonObject {
  const source = parent === undefined ? {} : { parent_id: parent, source: `exceptions[${id}]` };
  return {
    mechanism: { type: "chained", exception_id: id, ...source, ...(id === 0 && { is_exception_group: true }) },
    ...fields,
  };
}

const own = (name: string, more: Fields = {}): JsonObject => ({
  stacktrace: { frames: [{ module: "shop", filename: "shop.py", function: name, in_app: true, ...more }] },
});
const chain = (platform: string, ...values: JsonObject[]): JsonObject => ({ platform, exception: { values } });

const javascript: readonly Kind[] = [
  {
    name: "one handler in Chrome, Firefox and Safari",
    errors: 1,
    events: ofFrames(
      "javascript",
      { filename: "https://h/a.js", function: "Cart.pay" },
      { filename: "https://h/a.js", function: "async*pay" },
      { filename: "https://h/a.js", function: "pay" },
      { filename: "https://h/a.js", function: "async Cart.pay" },
      { filename: "https://h/a.js", function: "Object.pay [as onPay]" },
    ),
  },
  {
    name: "a script of pages",
    errors: 1,
    events: ofFrames(
      "javascript",
      { filename: "https://h/orders/1", function: "onBuy", context_line: "<html>1" },
      { filename: "https://h/orders/2?a=b", function: "onBuy", context_line: "<html>2" },
      { filename: "https://h/", function: "onBuy", context_line: "<html>3" },
      { filename: "/p/red-shoes", function: "onBuy" },
    ),
  },
  {
    name: "scripts of one page that fail in different ways",
    errors: 2,
    events: [
      thrown("javascript", [{ filename: "https://h/orders/1", function: "?" }], { value: "cart is null" }),
      thrown("javascript", [{ filename: "https://h/orders/2", function: "?" }], { value: "user is null" }),
    ],
  },
  {
    name: "addresses without a file",
    errors: 1,
    events: ofFrames(
      "javascript",
      { filename: "data:text/javascript;base64,AAAA", function: "run" },
      { filename: "data:text/javascript;base64,BBBB", function: "run" },
      { filename: "blob:null/1", function: "run" },
      { filename: "wasm://wasm/shop-000a1b2c", function: "run" },
    ),
  },
  {
    name: "a mapped line that moved",
    errors: 1,
    events: ofFrames(
      "javascript",
      { filename: "./src/Cart.tsx", function: "?", lineno: 3, context_line: "  throw new Error('no')" },
      { filename: "./src/Cart.tsx", function: "?", lineno: 9, context_line: "\tthrow  new Error('no')" },
    ),
  },
  {
    name: "values that are no errors",
    errors: 2,
    events: [
      thrown("node", [{ filename: "/srv/a.js", function: "report" }], {
        ...synthetic,
        type: "Error",
        value: "card declined",
      }),
      thrown("node", [{ filename: "/srv/a.js", function: "report" }], {
        ...synthetic,
        type: "Error",
        value: "no stock",
      }),
    ],
  },
  {
    name: "a timer and a rejection of one file",
    errors: 2,
    events: [
      thrown("node", [
        { filename: "/srv/a.js", function: "Timeout._onTimeout", context_line: "throw new Error('late')" },
      ]),
      thrown("node", [{ filename: "/srv/a.js", function: "?", context_line: "await Promise.reject(e)" }]),
    ],
  },
  {
    name: "chunks that cannot be loaded",
    errors: 1,
    events: [
      thrown("javascript", [{ filename: "/a-0a1b2c3d.js", function: "load" }], {
        type: "ChunkLoadError",
        value: "Loading chunk 17 failed.",
      }),
      thrown("javascript", [{ filename: "/b.js", function: "open" }], {
        type: "TypeError",
        value: "Failed to fetch dynamically imported module: https://h/x.js",
      }),
      thrown("javascript", [], {
        type: "TypeError",
        value: "error loading dynamically imported module: https://h/y.js",
      }),
      thrown("javascript", [], { type: "TypeError", value: "Importing a module script failed." }),
    ],
  },
  {
    name: "React's recovery counts as its cause",
    errors: 1,
    events: [
      chain(
        "javascript",
        {
          type: "TypeError",
          value: "x is null",
          ...own("Cart"),
          mechanism: { type: "chained", source: "cause", exception_id: 1, parent_id: 0 },
        },
        {
          type: "Error",
          value:
            "There was an error during concurrent rendering but React was able to recover by instead synchronously rendering the entire root.",
          mechanism: { type: "generic", exception_id: 0 },
        },
      ),
      chain("javascript", { type: "TypeError", value: "x is null", ...own("Cart") }),
    ],
  },
];

const jvm: readonly Kind[] = [
  {
    name: "an accessor of reflection",
    errors: 1,
    events: ["12", "977"].map((n) =>
      thrown("java", [
        { module: `jdk.internal.reflect.GeneratedMethodAccessor${n}`, function: "invoke" },
        { module: "com.acme.Cart", function: "pay" },
      ]),
    ),
  },
  {
    name: "a Hibernate proxy of each run",
    errors: 1,
    events: ofFrames(
      "java",
      { module: "com.acme.User$HibernateProxy$aB12cd34", function: "name" },
      { module: "com.acme.User$HibernateProxy$Zz98yy76", function: "name" },
    ),
  },
  {
    name: "anonymous classes that say different things",
    errors: 2,
    events: [
      thrown("java", [{ module: "com.acme.Jobs$1", function: "run" }], { value: "no stock" }),
      thrown("java", [{ module: "com.acme.Jobs$2", function: "run" }], { value: "no card" }),
    ],
  },
  {
    name: "Kotlin's lambda that a compiler numbered anew",
    errors: 1,
    events: ofFrames(
      "java",
      { module: "com.acme.JobKt$main$1$2", function: "invokeSuspend" },
      { module: "com.acme.JobKt$main$3", function: "invokeSuspend" },
    ),
  },
  {
    name: "suppressed exceptions",
    errors: 1,
    events: [
      chain(
        "java",
        { type: "Closed", value: "1", mechanism: { type: "suppressed", exception_id: 1, parent_id: 0 } },
        { type: "E", ...own("pay"), mechanism: { type: "generic", exception_id: 0 } },
      ),
      chain("java", { type: "E", ...own("pay") }),
    ],
  },
  {
    name: "timeouts of one client",
    errors: 1,
    events: ["read", "connect"].map((name) =>
      thrown("java", [{ module: "okhttp3.internal.Stream", function: name, in_app: false }], {
        type: "SocketTimeoutException",
        value: name,
      }),
    ),
  },
];

const others: readonly Kind[] = [
  {
    name: "two raises of one function",
    errors: 2,
    events: ofFrames(
      "python",
      { module: "shop", function: "pay", context_line: "raise ValueError('a')" },
      { module: "shop", function: "pay", context_line: "raise ValueError('b')" },
    ),
  },
  {
    name: "a raise that moved",
    errors: 1,
    events: ofFrames(
      "python",
      { module: "shop", function: "pay", lineno: 3, context_line: "    raise ValueError(total)" },
      { module: "shop", function: "pay", lineno: 4, context_line: "\traise  ValueError(total)" },
    ),
  },
  {
    name: "the same message with other parameters",
    errors: 1,
    events: ["ann", "bob"].map((user) => ({
      platform: "python",
      logentry: { message: "%s is gone", params: [user] },
      threads: { values: [{ current: true, ...own("main") }] },
    })),
  },
  {
    name: "groups of one kind, nested, in any number and order",
    errors: 1,
    events: [
      chain(
        "python",
        member(1, 0, { type: "T", value: "1", ...own("fetch") }),
        member(0, undefined, { type: "ExceptionGroup", value: "errors", ...own("main") }),
      ),
      chain(
        "python",
        member(3, 2, { type: "T", value: "1", ...own("fetch") }),
        member(2, 0, { type: "ExceptionGroup", value: "inner" }),
        member(1, 0, { type: "T", value: "2", ...own("fetch") }),
        member(0, undefined, { type: "ExceptionGroup", value: "errors", ...own("main") }),
      ),
    ],
  },
  {
    name: "groups of the same two kinds",
    errors: 1,
    events: [
      [1, 2],
      [2, 1],
      [1, 2, 2, 1],
    ].map((kinds) =>
      chain(
        "python",
        ...kinds.map((kind, n) => member(n + 1, 0, { type: `T${kind}`, value: "x", ...own(`f${kind}`) })),
        member(0, undefined, { type: "ExceptionGroup", value: "errors", ...own("main") }),
      ),
    ),
  },
  {
    name: "Go's wrapping that its SDK marks as a group is told by its outer error",
    errors: 2,
    events: ["pay", "ship"].map((name) =>
      chain(
        "go",
        {
          type: "*errors.errorString",
          value: "closed",
          mechanism: { type: "chained", exception_id: 1, parent_id: 0, is_exception_group: true },
        },
        {
          type: "*fmt.wrapError",
          value: `${name}: closed`,
          ...own(name),
          mechanism: { type: "generic", exception_id: 0, is_exception_group: true },
        },
      ),
    ),
  },
  {
    name: "closures of PHP by version and release",
    errors: 1,
    events: ofFrames(
      "php",
      { filename: "/srv/1/routes/web.php", function: "{closure}" },
      { filename: "/srv/2/routes/web.php", function: "{closure:/srv/2/routes/web.php:12}" },
    ),
  },
  {
    name: "route closures of one file",
    errors: 2,
    events: ofFrames(
      "php",
      { filename: "/routes/web.php", function: "{closure}", context_line: "  throw new Missing();" },
      { filename: "/routes/web.php", function: "{closure}", context_line: "  abort(500);" },
    ),
  },
  {
    name: "route closures of Laravel, whose middleware has closures too, over two releases",
    errors: 2,
    events: ["20261101", "20261102"].flatMap((release) =>
      ["abort(404);", "throw new CartIsEmpty();"].map((line) =>
        thrown("php", [
          {
            filename: "/vendor/laravel/framework/src/Illuminate/Pipeline/Pipeline.php",
            function: "Illuminate\\Pipeline\\Pipeline::Illuminate\\Pipeline\\{closure}",
            in_app: false,
          },
          {
            filename: "/vendor/laravel/framework/src/Illuminate/Routing/CallableDispatcher.php",
            function: "Illuminate\\Routing\\CallableDispatcher::dispatch",
            in_app: false,
          },
          {
            filename: "/routes/web.php",
            abs_path: `/srv/releases/${release}/routes/web.php`,
            function: `Illuminate\\Routing\\RouteFileRegistrar::{closure:/srv/releases/${release}/routes/web.php:17}`,
            context_line: `    ${line}`,
          },
        ]),
      ),
    ),
  },
  {
    name: "a template of Rails, compiled by two processes, and its block",
    errors: 1,
    events: ["_1335902923_70229", "__4410772399154_48820"].map((compiled) =>
      thrown(
        "ruby",
        [
          { filename: "action_view/template.rb", function: "block in render", in_app: false },
          { filename: "app/views/carts/show.html.erb", function: `_app_views_carts_show_html_erb_${compiled}` },
          {
            filename: "app/views/carts/show.html.erb",
            function: `block in _app_views_carts_show_html_erb_${compiled}`,
            context_line: "  <%= item.price.round(2) %>",
          },
        ],
        { type: "ActionView::Template::Error" },
      ),
    ),
  },
  {
    name: "a block and its method, by the version of Ruby",
    errors: 1,
    events: ofFrames(
      "ruby",
      { filename: "cart.rb", function: "block in save" },
      { filename: "cart.rb", function: "block (2 levels) in Cart#save" },
      { filename: "cart.rb", function: "rescue in save" },
    ),
  },
  {
    name: "a local function, a lambda and an async method of .NET, renumbered",
    errors: 3,
    events: ofFrames(
      "csharp",
      { module: "Acme.Cart", function: "<Pay>g__Charge|12_0" },
      { module: "Acme.Cart", function: "<Pay>g__Charge|3_1" },
      { module: "Acme.Cart+<>c__DisplayClass12_0", function: "<Pay>b__0" },
      { module: "Acme.Cart+<>c__DisplayClass4_0", function: "<Pay>b__1" },
      { module: "Acme.Cart", function: "<Save>d__4.MoveNext" },
      { module: "Acme.Cart", function: "<Save>d__9.MoveNext" },
    ),
  },
  {
    name: "handlers of a minimal API of .NET, as its SDK writes their signatures",
    errors: 2,
    events: ["no stock", "no card", "no card"].map((value, n) =>
      thrown(
        "csharp",
        [
          {
            module: "Microsoft.AspNetCore.Routing.EndpointMiddleware",
            function: "Task EndpointMiddleware.Invoke(HttpContext httpContext)",
            in_app: false,
          },
          {
            module: n < 2 ? "Program+<>c" : "Program",
            function: "void Program.<Main>$(string[] args)+(int id) => { }",
          },
        ],
        { value },
      ),
    ),
  },
  {
    name: "an async method of .NET that another awaits, renumbered",
    errors: 1,
    events: ["4", "9"].map((n) =>
      thrown("csharp", [
        { module: "Shop.CartController", function: `Shop.CartController.<Pay>d__${n}.MoveNext` },
        { module: "System.Runtime.CompilerServices.TaskAwaiter", function: "ThrowForNonSuccess", in_app: false },
        { module: `Shop.Bank+<Charge>d__${n}`, function: "MoveNext", lineno: 12 },
      ]),
    ),
  },
  {
    name: "Go's anonymous functions without lines say different things",
    errors: 2,
    events: [
      thrown("go", [{ module: "main", function: "serve.func1" }], { value: "no stock" }),
      thrown("go", [{ module: "main", function: "serve.func2" }], { value: "no card" }),
    ],
  },
  {
    name: "panics of two places of Rust",
    errors: 2,
    events: ["pay", "ship"].map((name) =>
      thrown("native", [
        { function: `shop::${name}`, filename: "main.rs" },
        { function: "core::panicking::panic", abs_path: "/rustc/1/core/src/panicking.rs" },
        { function: "__rustc::rust_begin_unwind", abs_path: "/rustc/1/std/src/panicking.rs" },
      ]),
    ),
  },
  {
    name: "a crash at other addresses",
    errors: 1,
    events: ["0x10", "0x7f"].map((at) =>
      thrown("cocoa", [{ function: "read_card" }], {
        type: "EXC_BAD_ACCESS",
        value: `KERN_INVALID_ADDRESS at ${at}`,
        mechanism: { synthetic: true, handled: false },
      }),
    ),
  },
  {
    name: "names of Elixir and Dart that compilers number",
    errors: 2,
    events: [
      ...ofFrames(
        "elixir",
        { module: "Elixir.Shop", function: "-pay/2-fun-0-" },
        { module: "Shop", function: "-pay/2-fun-3-" },
      ),
      ...ofFrames(
        "dart",
        { filename: "cart.dart", function: "Cart.pay.<fn>" },
        { filename: "cart.dart", function: "Cart.pay.<anonymous closure>" },
      ),
    ],
  },
  {
    name: "a fingerprint with the message of an exception",
    errors: 1,
    events: ["1", "2"].map((n) => ({ ...thrown("python", [], { value: `dog ${n}` }), fingerprint: ["{{ message }}"] })),
  },
];

/** Inputs in addition to test/fixtures/grouping: one for each kind on each platform. */
export const kinds: readonly Kind[] = [...javascript, ...jvm, ...others];
