/**
 * Makes events like the Node SDK: two chained exceptions, frames with source lines, breadcrumbs, contexts, tags, a
 * user. Events share what they share in life: all have the same modules and library frames, and the events of one error
 * have the same frames and source lines of the application. The rest differs from event to event.
 */

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
  const pick = pickerOf(random);
  const now = Date.now() / 1000;
  const frames = framesOf(group, bytes);
  const breadcrumbs: unknown[] = [];
  const event = {
    exception: {
      values: [
        {
          type: "TypeError",
          value: `Cannot read properties of undefined (reading 'field${group}')`,
          stacktrace: { frames: frames.slice(-2) },
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
    contexts: {
      trace: { trace_id: hexadecimal(32, random), span_id: hexadecimal(16, random) },
      runtime: { name: "node", version: "v26.10.0" },
      os: { name: "Linux" },
      app: { app_memory: Math.floor(random() * 2e8) },
    },
    sdk: { name: "sentry.javascript.node", version: "7.38.0", packages: [{ name: "npm:@sentry/node" }] },
    modules: Object.fromEntries(modules.slice(0, Math.floor(bytes / 500))),
    breadcrumbs,
  };

  // The SDK keeps a hundred breadcrumbs; `extra` takes what is left of the bytes.
  let length = JSON.stringify(event).length;
  while (breadcrumbs.length < 100) {
    const crumb = breadcrumb(now - breadcrumbs.length * random(), random);
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

const applicationFrames = 6;

/** The frames of a group, innermost last; source lines stand in as many of the inner ones as 60 % of the bytes hold. */
function framesOf(group: number, bytes: number): Record<string, unknown>[] {
  const count = bytes < 20_000 ? 12 : 40;
  const frames = Array.from({ length: count }, (_, depth) => frame(group, depth, count));
  let length = JSON.stringify(frames).length;
  for (const [index, target] of [...frames.entries()].toReversed()) {
    const isOwn = index >= count - applicationFrames;
    const random = randomFrom(isOwn ? (group + 1) * 1_000 + index : index);
    const lines = Array.from({ length: 7 }, () => sourceLine(random));
    const context = { pre_context: lines.slice(0, 3), context_line: lines[3], post_context: lines.slice(4) };
    length += JSON.stringify(context).length * (index >= count - 2 ? 2 : 1); // the last two stand in both exceptions
    if (length > bytes * 0.6) break;
    Object.assign(target, context);
  }
  return frames;
}

function frame(group: number, depth: number, count: number): Record<string, unknown> {
  const inApp = depth >= count - applicationFrames;
  return {
    filename: inApp ? `/srv/app/src/orders/step-${depth}.js` : `/srv/app/node_modules/router/layer-${depth}.js`,
    function: inApp ? `step${depth}OfOrder${group}` : `Layer.handle${depth}`,
    lineno: 10 + depth * 7 + (inApp ? group % 5 : 0),
    colno: 5 + (depth % 30),
    in_app: inApp,
  };
}

const words = ["order", "basket", "user", "price", "total", "card", "items", "result", "request", "state", "index"];
const calls = ["await load", "check", "return find", "const made = create", "throw refuse", "if (has"];

/** The packages of an application of some size. */
const modules: readonly (readonly [name: string, version: string])[] = Array.from({ length: 90 }, (_, n) => {
  const random = randomFrom(n + 77);
  const version = Array.from({ length: 3 }, () => Math.floor(random() * 20)).join(".");
  return [`@${pickerOf(random)(words)}/${pickerOf(random)(words)}-${n}`, version];
});

function sourceLine(random: () => number): string {
  const pick = pickerOf(random);
  return `    ${pick(calls)}${pick(words)}(${pick(words)}.${pick(words)}, ${Math.floor(random() * 1000)}); // ${pick(words)}`;
}

function breadcrumb(timestamp: number, random: () => number): Record<string, unknown> {
  const pick = pickerOf(random);
  const status_code = pick([200, 201, 304, 404]);
  const url = `https://api.example/${pick(words)}/${Math.floor(random() * 1e6)}?${pick(words)}=${pick(words)}`;
  return { timestamp, type: "http", category: "http", level: "info", data: { method: "GET", url, status_code } };
}

function hexadecimal(digits: number, random: () => number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
}

function pickerOf(random: () => number): <T>(values: readonly T[]) => T {
  return (values) => values[Math.floor(random() * values.length)] as (typeof values)[number];
}
