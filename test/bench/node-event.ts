/** Makes events as the Node SDK sends them: two chained exceptions, frames with source lines, breadcrumbs, tags, user. */

export interface NodeEventOptions {
  /** Length of the JSON text in bytes, from 4,000. */
  readonly bytes: number;
  /** Events with the same number belong to one error. */
  readonly group: number;
  /** Makes everything else differ. */
  readonly random: () => number;
}

/** An event without `event_id`, as an object of about `bytes` of JSON. */
export function nodeEvent({ bytes, group, random }: NodeEventOptions): Record<string, unknown> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const now = Date.now() / 1000;
  const frameCount = bytes < 20_000 ? 20 : 60;
  const frames = Array.from({ length: frameCount }, (_, depth) => frame(group, depth, frameCount));
  const breadcrumbs: unknown[] = [];
  const event = {
    exception: {
      values: [
        {
          type: "TypeError",
          value: `Cannot read properties of undefined (reading 'field${group}')`,
          stacktrace: { frames: frames.slice(0, 2) },
          mechanism: { type: "generic", handled: true },
        },
        {
          type: `Order${group}Error`,
          value: `order ${Math.floor(random() * 1e9)} refused for ${Math.floor(random() * 1e5)} cents`,
          stacktrace: { frames },
          mechanism: { type: "generic", handled: true },
        },
      ],
    },
    level: "error",
    platform: "node",
    timestamp: now,
    release: `shop@1.${group % 5}.0`,
    environment: pick(["production", "staging"]),
    server_name: `web-${Math.floor(random() * 8)}.example`,
    transaction: `POST /orders/:id/pay${group}`,
    user: { id: `${Math.floor(random() * 5_000)}`, ip_address: "203.0.113.7" },
    tags: { region: pick(["eu-west", "us-east", "ap-south"]), plan: pick(["free", "gold"]), retry: `${group % 4}` },
    extra: { basket: { lines: Math.floor(random() * 40), total: random() * 1e4 } },
    contexts: { runtime: { name: "node", version: "v26.10.0" }, os: { name: "Linux" }, app: { app_memory: 1e8 } },
    sdk: { name: "sentry.javascript.node", version: "7.38.0", packages: [{ name: "npm:@sentry/node" }] },
    breadcrumbs,
  };

  // Source lines go to the innermost frames first, then come breadcrumbs; `extra` takes what is left.
  let length = JSON.stringify(event).length;
  for (const target of frames.toReversed()) {
    const lines = Array.from({ length: 7 }, () => sourceLine(pick, random));
    const context = { pre_context: lines.slice(0, 3), context_line: lines[3], post_context: lines.slice(4) };
    const added = JSON.stringify(context).length;
    if (length + added > bytes * 0.95) break;
    Object.assign(target, context);
    length += added * (frames.indexOf(target) < 2 ? 2 : 1); // the first two stand in both exceptions
  }
  while (breadcrumbs.length < 100) {
    const crumb = breadcrumb(now - breadcrumbs.length, pick, random);
    const added = JSON.stringify(crumb).length + 1;
    if (length + added > bytes) break;
    breadcrumbs.push(crumb);
    length += added;
  }
  const state: string[] = [];
  for (; length < bytes - 40; length += 39) state.push(`${pick(words)} ${random()}`.padEnd(36, "0"));
  return { ...event, extra: { ...event.extra, state } };
}

/** A small repeatable source of random numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function frame(group: number, depth: number, count: number): Record<string, unknown> {
  const inApp = depth >= count - 6;
  return {
    filename: inApp ? `/srv/app/src/orders/step-${depth}.js` : `/srv/app/node_modules/router/layer-${depth}.js`,
    function: inApp ? `step${depth}OfOrder${group}` : `Layer.handle${depth}`,
    lineno: 10 + depth * 7 + (group % 5),
    colno: 5 + (depth % 30),
    in_app: inApp,
  };
}

type Pick = <T>(values: readonly T[]) => T;
const words = ["order", "basket", "user", "price", "total", "card", "items", "result", "request", "state", "index"];
const calls = ["await load", "check", "return find", "const made = create", "throw refuse", "if (has"];

function sourceLine(pick: Pick, random: () => number): string {
  return `    ${pick(calls)}${pick(words)}(${pick(words)}.${pick(words)}, ${Math.floor(random() * 1000)}); // ${pick(words)}`;
}

function breadcrumb(timestamp: number, pick: Pick, random: () => number): Record<string, unknown> {
  const status_code = pick([200, 201, 304, 404]);
  const url = `https://api.example/${pick(words)}/${Math.floor(random() * 1e6)}?${pick(words)}=${pick(words)}`;
  return { timestamp, type: "http", category: "http", level: "info", data: { method: "GET", url, status_code } };
}
