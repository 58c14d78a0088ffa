/** The data behind every world of the contract suite: the same errors in the forms of their SDKs. */

/** The start of the hour that runs while the suite does; it is half past. */
export const hour = Date.UTC(2026, 0, 10, 12);
export const now = hour + 30 * 60_000;

type Json = Readonly<Record<string, unknown>>;

export interface ContractEvent {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly occurredAt: number;
  /** The payload as an SDK sends it, but for id and time. */
  readonly payload: Json;
}

export interface ContractError {
  /** The exception's type; empty for a message. */
  readonly type: string;
  readonly value: string;
  readonly title: string;
  /** The place of the error, as the storing system reports it. */
  readonly culprit: string;
  readonly level: string;
  readonly status: "unresolved" | "resolved" | "ignored";
  readonly firstRelease: string;
  readonly lastRelease: string;
  readonly userCount: number;
  readonly tags: Readonly<Record<string, string>>;
  /** It was resolved, and came back with its newest event. */
  readonly cameBack: boolean;
  /** Oldest first. */
  readonly events: readonly ContractEvent[];
}

let count = 0;

/** An event, so many minutes after the start of the running hour. */
function event(minutes: number, payload: Json): ContractEvent {
  count += 1;
  const id = count.toString(16).padStart(32, "0");
  return { id, occurredAt: hour + minutes * 60_000, payload: { platform: "node", ...payload } };
}

const frame = (filename: string, name: string) => ({ filename, function: name, lineno: 12, in_app: true });

function exception(type: string, value: string, frames: readonly Json[]) {
  return { exception: { values: [{ type, value, stacktrace: { frames } }] } };
}

const checkout = exception("CheckoutFailed", "the cart is broken", [frame("app/cart.js", "checkout")]);
const timeout = exception("Timeout", "no answer of the bank", [frame("app/bank.js", "pay")]);
const missing = exception("KeyMissing", "total", [frame("app/total.js", "sum")]);
const old = exception("OldBug", "long gone", [frame("app/old.js", "run")]);
const noise = exception("Noise", "a browser extension", [frame("ext/x.js", "hook")]);
const fresh = exception("FreshOne", "just now", [frame("app/new.js", "start")]);

/** Without a fingerprint, its events would be two errors, because one has a chain of exceptions. */
const fingerprint = ["checkout"];

/** An event with every part that is shown. */
const whole: Json = {
  fingerprint,
  level: "error",
  release: "shop@2",
  environment: "production",
  server_name: "web-1",
  logger: "shop.cart",
  transaction: "POST /checkout",
  exception: {
    values: [
      {
        type: "RangeError",
        value: "negative total",
        module: "totals",
        mechanism: { type: "chained", handled: true, exception_id: 1, parent_id: 0, source: "cause" },
        stacktrace: { frames: [frame("app/total.js", "sum")] },
      },
      {
        type: "CheckoutFailed",
        value: "the cart is broken",
        mechanism: { type: "generic", handled: false, exception_id: 0 },
        stacktrace: {
          frames: [
            { filename: "node_modules/express/router.js", function: "next", lineno: 280, colno: 10, in_app: false },
            {
              filename: "app/cart.js",
              abs_path: "/srv/app/cart.js",
              module: "app.cart",
              function: "checkout",
              lineno: 12,
              colno: 5,
              in_app: true,
              pre_context: ["function checkout(cart) {", "  const total = sum(cart);"],
              context_line: "  if (total < 0) throw new CheckoutFailed();",
              post_context: ["  return total;", "}"],
              vars: { total: "-3", cart: { id: "7" } },
            },
          ],
        },
      },
    ],
  },
  user: { id: "u1", email: "ann@example.com", ip_address: "203.0.113.9", plan: "gold" },
  tags: { region: "eu", browser: "Firefox" },
  extra: { cart: { id: 7, items: ["a", "b"] } },
  contexts: { os: { name: "Linux", version: "6.18" }, runtime: { name: "node", version: "26.10.0" } },
  modules: { express: "5.1.0" },
  sdk: { name: "sentry.javascript.node", version: "10.1.0" },
  breadcrumbs: [
    { timestamp: (hour - 6 * 60_000) / 1000, category: "http", type: "http", level: "info", data: { url: "/cart" } },
    { timestamp: (hour - 5 * 60_000 - 500) / 1000, category: "console", level: "warning", message: "odd total" },
  ],
  request: {
    url: "https://shop.example/checkout",
    method: "POST",
    query_string: "step=2",
    headers: { "User-Agent": "Mozilla/5.0" },
    cookies: { theme: "dark" },
    data: { cart: 7 },
    env: { SERVER_PORT: "443" },
  },
};

const shop = (release: string, user: string) => ({
  ...checkout,
  fingerprint,
  level: "error",
  release,
  environment: "production",
  tags: { region: "eu" },
  user: { id: user },
});

/** That the release of an error names. */
export const commit = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";
const committed = `shop@3+${commit}`;

const staging = { level: "fatal", environment: "staging", release: committed, tags: { region: "us" } };

const plain = {
  status: "unresolved",
  firstRelease: "",
  lastRelease: "",
  userCount: 0,
  tags: {},
  cameBack: false,
} as const;

/** The errors in the order of their ids. */
export const errors: readonly ContractError[] = [
  {
    ...plain,
    type: "CheckoutFailed",
    value: "the cart is broken",
    title: "CheckoutFailed: the cart is broken",
    culprit: "POST /checkout",
    level: "error",
    firstRelease: "shop@1",
    lastRelease: "shop@2",
    userCount: 3,
    tags: { environment: "production", region: "eu" },
    events: [
      event(-1800, shop("shop@1", "u1")),
      event(-190, shop("shop@1", "u2")),
      event(-140, shop("shop@1", "u1")),
      event(-65, shop("shop@2", "u3")),
      event(-5, whole),
    ],
  },
  {
    ...plain,
    type: "Timeout",
    value: "no answer of the bank",
    title: "Timeout: no answer of the bank",
    culprit: "pay(app/bank.js)",
    level: "warning",
    events: [-300, -61, 10].map((minutes) => event(minutes, { ...timeout, level: "warning" })),
  },
  {
    ...plain,
    type: "",
    value: "Payment refused",
    title: "Payment refused",
    culprit: "",
    level: "info",
    events: [event(-400, { message: "Payment refused", level: "info", extra: { note: "x".repeat(20_000) } })],
  },
  {
    ...plain,
    type: "KeyMissing",
    value: "total",
    title: "KeyMissing: total",
    culprit: "sum(app/total.js)",
    level: "fatal",
    firstRelease: committed,
    lastRelease: committed,
    tags: { environment: "staging", region: "us" },
    cameBack: true,
    events: [event(-90, { ...missing, ...staging }), event(-80, { ...missing, ...staging })],
  },
  {
    ...plain,
    type: "OldBug",
    value: "long gone",
    title: "OldBug: long gone",
    culprit: "run(app/old.js)",
    level: "error",
    status: "resolved",
    events: [event(-2000, { ...old, level: "error" })],
  },
  {
    ...plain,
    type: "Noise",
    value: "a browser extension",
    title: "Noise: a browser extension",
    culprit: "hook(ext/x.js)",
    level: "error",
    status: "ignored",
    events: [-1000, -999, -998, -997].map((minutes) => event(minutes, { ...noise, level: "error" })),
  },
  {
    ...plain,
    type: "FreshOne",
    value: "just now",
    title: "FreshOne: just now",
    culprit: "start(app/new.js)",
    level: "error",
    events: [event(20, { ...fresh, level: "error" })],
  },
];
