/** The times of the events are relative to this time. */
export const startedAt = Date.now();
export const eventId = (index: number) => index.toString(16).padStart(32, "a");

/** Three events of one error with everything that an event can have, and one event of each other error. */
export function* events(): Generator<Record<string, unknown>> {
  const frame = (name: string, lineno: number, inApp: boolean) => ({
    filename: inApp ? "src/cart.js" : "node_modules/express/lib/router.js",
    abs_path: inApp ? "/srv/app/src/cart.js" : "/srv/app/node_modules/express/lib/router.js",
    module: inApp ? "cart" : "express.router",
    function: name,
    lineno,
    colno: 9,
    in_app: inApp,
    pre_context: ["function charge(card) {", "  const limit = card.limit;"],
    context_line: "  if (limit < total) throw new PaymentError(card.name);",
    post_context: ["  return bank.charge(card, total);", "}"],
    vars: { card: { name: "amex", limit: 650 }, total: 700, tried: [1, 2], nothing: null },
  });
  const common = (hoursAgo: number) => ({
    timestamp: startedAt / 1000 - hoursAgo * 3600,
    platform: "node",
    sdk: { name: "sentry.javascript.node", version: "7.38.0" },
  });
  for (const [index, hoursAgo] of [5, 2, 2].entries()) {
    yield {
      ...common(hoursAgo - index / 100),
      event_id: eventId(index),
      level: "error",
      release: index === 0 ? "shop@1.0.0" : "shop@2.0.0",
      environment: "staging",
      server_name: "web-1",
      transaction: "POST /checkout",
      logger: "checkout",
      exception: {
        values: [
          {
            type: "TypeError",
            value: "limit is undefined",
            module: "cart",
            mechanism: { type: "chained", handled: true, exception_id: 1, parent_id: 0, source: "cause" },
            stacktrace: { frames: [frame("router", 88, false), frame("readCard", 11, true)] },
          },
          {
            type: "PaymentError",
            value: "card refused",
            mechanism: { type: "onunhandledrejection", handled: false, exception_id: 0 },
            stacktrace: {
              frames: [
                frame("handle", 88, false),
                frame("next", 90, false),
                frame("checkout", 4, true),
                frame("charge", 21, true),
              ],
            },
          },
        ],
      },
      user: { id: `47${index}`, username: "ada", email: "ada@example.com", ip_address: "203.0.113.7", plan: "gold" },
      tags: { region: "eu-west", browser: "Chrome 131" },
      breadcrumbs: [
        {
          timestamp: startedAt / 1000 - 20_000,
          type: "http",
          category: "http",
          level: "info",
          message: "GET /cart",
          data: { url: "/cart", status_code: 200 },
        },
        { timestamp: startedAt / 1000 - 19_990, category: "ui.click", message: "Pay", level: "warning" },
      ],
      request: {
        url: "https://shop.example/checkout",
        method: "POST",
        query_string: "step=2&coupon=x",
        headers: { "User-Agent": "Mozilla/5.0", Accept: "text/html" },
        cookies: { theme: "dark" },
        data: { card: "amex" },
        env: { REMOTE_ADDR: "203.0.113.7" },
      },
      contexts: {
        runtime: { name: "node", version: "v26.10.0" },
        os: { name: "Linux", version: "6.1" },
        cart: { items: 3, nested: { deep: true } },
      },
      extra: { list: ["a", "b"], attempt: index },
      modules: { express: "4.18.2" },
    };
  }
  yield {
    ...common(3),
    event_id: eventId(16),
    level: "warning",
    logger: "stock",
    logentry: { message: "Stock is low: %s left", params: ["3"], formatted: "Stock is low: 3 left" },
    tags: { region: "us-east" },
  };
  yield {
    ...common(26),
    event_id: eventId(17),
    level: "fatal",
    platform: "python",
    exception: { values: [{ type: "MemoryError", value: "heap\nsecond line" }] },
    user: { ip_address: "203.0.113.8" },
  };
  // Each part has more than pages show, and the event is older than an event may be.
  yield {
    ...common(100 * 24),
    event_id: eventId(18),
    level: "info",
    exception: {
      values: [
        {
          type: "RangeError",
          value: "v".repeat(9_000),
          stacktrace: {
            frames: Array.from({ length: 300 }, (_, index) => frame(`call${index}`, index + 1, index % 2 === 0)),
          },
        },
      ],
    },
    breadcrumbs: Array.from({ length: 150 }, (_, index) => ({
      timestamp: startedAt / 1000 - 15_000 - index,
      message: `step ${index}`,
    })),
    tags: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tag${index}`, `value ${index}`])),
    extra: { long: "e".repeat(20_000) },
  };
  yield {
    ...common(6),
    event_id: eventId(19),
    level: "debug",
    platform: "java",
    message: "stopped",
    threads: {
      values: [
        { id: 1, name: "main", crashed: true, current: true, stacktrace: { frames: [frame("run", 3, true)] } },
        { id: 2, name: "pool-1", stacktrace: { frames: [frame("await", 9, false)] } },
      ],
    },
  };
  // This error also happened in the current hour. The last-seen label does not include the current hour yet.
  yield timeoutError(38, 5.3);
  yield timeoutError(39, 2.3);
  for (let index = 0; index < 55; index++) {
    yield {
      ...common(30 + index / 10),
      event_id: eventId(100 + index),
      exception: { values: [{ type: `ParseError${index}`, value: `line ${index}` }] },
    };
  }
}

/** An event of an error that comes back. */
export function timeoutError(index: number, hoursAgo: number): Record<string, unknown> {
  return {
    event_id: eventId(index),
    timestamp: Date.now() / 1000 - hoursAgo * 3600,
    platform: "ruby",
    release: `shop@${index}`,
    exception: { values: [{ type: "TimeoutError", value: "no answer" }] },
    user: { id: `${index}` },
  };
}
