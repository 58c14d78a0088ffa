import { demoSdks, type DemoSdk } from "./demo-sdks.ts";
import { serviceErrors, type Course, type DemoError } from "./service-errors.ts";

/** The errors that customers meet: the pages of the shop and its checkout. */
const pageErrors: readonly DemoError[] = [
  {
    sdk: "browser",
    type: "TypeError",
    value: "undefined is not an object (evaluating 'basket.items.length')",
    level: "error",
    transaction: "/basket",
    course: "since release",
    weight: 14,
    users: 120,
    file: "assets/basket.js",
    className: "",
    function: "renderBasket",
    line: 88,
    source: [
      "function renderBasket(basket) {",
      "  const badge = document.querySelector('#badge');",
      "  badge.textContent = String(basket.items.length);",
      "  badge.hidden = false;",
      "}",
    ],
  },
  {
    sdk: "browser",
    type: "NetworkError",
    value: "Failed to fetch /api/suggestions",
    level: "warning",
    transaction: "/search",
    course: "steady",
    weight: 9,
    users: 90,
    file: "assets/suggestions.js",
    className: "",
    function: "suggest",
    line: 31,
    source: [
      "async function suggest(words) {",
      "  const query = new URLSearchParams({ words });",
      "  const response = await http.get(`/api/suggestions?${query}`);",
      "  return response.json();",
      "}",
    ],
  },
  {
    sdk: "react",
    type: "Error",
    value: "Rendered fewer hooks than expected",
    level: "error",
    transaction: "/orders/:id",
    course: "mended",
    weight: 6,
    users: 14,
    file: "assets/order-page.js",
    className: "",
    function: "OrderPage",
    line: 142,
    source: [
      "export function OrderPage({ order }) {",
      "  if (order.isEmpty) return <Empty />;",
      "  const [tab, setTab] = useState('items');",
      "  return <Tabs selected={tab} onSelect={setTab} />;",
      "}",
    ],
  },
  {
    sdk: "react",
    type: "RangeError",
    value: "Invalid time value",
    level: "error",
    transaction: "/reports",
    course: "steady",
    weight: 3,
    users: 8,
    file: "assets/report-chart.js",
    className: "",
    function: "dayOf",
    line: 57,
    source: [
      "const dayOf = (row) => {",
      "  const time = new Date(row.at);",
      "  return time.toISOString().slice(0, 10);",
      "};",
      "",
    ],
  },
  {
    sdk: "node",
    type: "PaymentError",
    value: "card refused for order #",
    level: "error",
    transaction: "POST /checkout",
    course: "steady",
    weight: 16,
    users: 140,
    file: "src/checkout/payments.ts",
    className: "payments",
    function: "charge",
    line: 112,
    source: [
      "  async charge(order: Order): Promise<Receipt> {",
      "    const answer = await this.bank.charge(order.total, order.card);",
      "    if (!answer.accepted) throw new PaymentError(`card refused for order ${order.id}`);",
      "    return receiptOf(answer);",
      "  }",
    ],
  },
  {
    sdk: "node",
    type: "TimeoutError",
    value: "stock did not answer within 2000 ms",
    level: "warning",
    transaction: "GET /products/:id",
    course: "burst",
    weight: 12,
    users: 60,
    file: "src/products/stock-client.ts",
    className: "stock-client",
    function: "quantityOf",
    line: 40,
    source: [
      "  async quantityOf(product: string): Promise<number> {",
      "    const signal = AbortSignal.timeout(2_000);",
      "    const response = await this.http.get(`/stock/${product}`, { signal });",
      "    return response.quantity;",
      "  }",
    ],
  },
];

/** The errors of a shop, two of each SDK. */
const demoErrors = [...pageErrors, ...serviceErrors];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const span = 14 * dayMs;

/** The releases of the demo with their age in days, newest last. */
export const demoReleases = [
  { name: "shop@1.3.0", age: 14 },
  { name: "shop@1.4.0", age: 8 },
  { name: "shop@1.5.0", age: 2 },
] as const;

const newestAge = demoReleases[2].age * dayMs;
const mendedAge = demoReleases[1].age * dayMs;

/** An event of the demo in the form of its SDK, and its time in milliseconds. */
export interface DemoEvent {
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * `count` events of two weeks that end at `now`, oldest first, with at least one event of each error. `random` returns
 * numbers from 0 to 1; the same numbers make the same demo.
 */
export function demoEvents(count: number, now: number, random: () => number): DemoEvent[] {
  const weights = demoErrors.reduce((sum, { weight }) => sum + weight, 0);
  return demoErrors
    .flatMap((error) =>
      Array.from({ length: Math.max(1, Math.round((count * error.weight) / weights)) }, () => {
        const at = now - ageOf(error.course, now, random);
        return { at, event: eventOf(error, { at, now, random }) };
      }),
    )
    .toSorted((a, b) => a.at - b.at);
}

/** The youngest and the oldest event of a course, by age in milliseconds. */
const ages: Readonly<Record<Course, readonly [from: number, to: number]>> = {
  steady: [minuteMs, span],
  "since release": [minuteMs, newestAge],
  burst: [5 * dayMs, 5 * dayMs + 3 * hourMs],
  mended: [mendedAge, span],
};

/** The age of an event in milliseconds, more often by day than by night (UTC). */
function ageOf(course: Course, now: number, random: () => number): number {
  const [from, to] = ages[course];
  for (;;) {
    const age = from + random() * (to - from);
    const hour = new Date(now - age).getUTCHours();
    if (course === "burst" || random() < (hour >= 7 && hour < 22 ? 1 : 0.25)) return age;
  }
}

interface Moment {
  readonly at: number;
  readonly now: number;
  readonly random: () => number;
}

function eventOf(error: DemoError, { at, now, random }: Moment): DemoEvent["event"] {
  const sdk: DemoSdk = demoSdks[error.sdk];
  const number = Math.floor(random() * 9000) + 1000;
  const user = Math.floor(random() ** 2 * error.users); // a few people meet many errors
  return {
    event_id: hex(32, random),
    timestamp: at / 1000,
    platform: sdk.platform,
    level: error.level,
    transaction: error.transaction,
    release: releaseAt(now - at),
    environment: random() < 0.9 ? "production" : "staging",
    ...(sdk.serverName !== "" && { server_name: sdk.serverName }),
    tags: {
      demo: "true",
      region: pick(["eu-west", "us-east", "ap-south"], random),
      plan: pick(["free", "team"], random),
    },
    ...(error.users > 0 && { user: { id: String(4000 + user), email: `customer.${user}@example.com` } }),
    exception: {
      values: [
        {
          type: error.type,
          value: error.value.replace("#", String(number)),
          mechanism: { type: "generic", handled: error.level === "warning" },
          stacktrace: { frames: framesOf(error, sdk) },
        },
      ],
    },
    breadcrumbs: {
      values: [
        {
          timestamp: (at - 4000) / 1000,
          category: "http",
          type: "http",
          data: { url: "/api/session", status_code: 200 },
        },
        { timestamp: (at - 900) / 1000, category: "ui.click", message: "button#continue" },
      ],
    },
    contexts: sdk.contexts,
    sdk: { name: sdk.name, version: sdk.version },
  };
}

/**
 * The frames of an event. Rust's panic begins in the library; in other languages the application's frame is the last
 * call.
 */
function framesOf(error: DemoError, sdk: DemoSdk): readonly object[] {
  const [before, second, line, ...after] = error.source;
  const own = {
    ...sdk.place(error.file, error.className),
    function: error.function,
    lineno: error.line,
    pre_context: [before, second],
    context_line: line,
    post_context: after,
    in_app: true,
  };
  return sdk.platform === "native" ? [own, sdk.library] : [sdk.library, own];
}

function releaseAt(age: number): string {
  return (demoReleases.findLast((release) => age <= release.age * dayMs) ?? demoReleases[0]).name;
}

/**
 * Sessions as SDKs count them, by hour and release, of the last five days, because older sessions are not accepted.
 * Each is the payload of a `sessions` item.
 */
export function demoSessions(now: number, random: () => number): object[] {
  const hours = Array.from({ length: 5 * 24 - 1 }, (_, hour) => Math.floor(now / hourMs) * hourMs - hour * hourMs);
  return demoReleases.flatMap(({ name }) => {
    const own = hours.filter((hour) => releaseAt(now - hour) === name);
    if (own.length === 0) return [];
    const crashRate = name === demoReleases[2].name ? 0.02 : 0.004;
    return {
      aggregates: own.map((started) => {
        const all = Math.round((new Date(started).getUTCHours() >= 7 ? 60 : 15) * (0.7 + random() * 0.6));
        const crashed = Math.round(all * crashRate * 2 * random());
        const errored = Math.round(all * 0.05 * random());
        return { started: new Date(started).toISOString(), exited: all - crashed - errored, errored, crashed };
      }),
      attrs: { release: name, environment: "production" },
    };
  });
}

/** Numbers from 0 to 1 from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(values: readonly [T, ...T[]], random: () => number): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

function hex(length: number, random: () => number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}
