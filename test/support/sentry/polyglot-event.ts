import { polyglots } from "./polyglots.ts";
import { newEventId } from "./send.ts";

/** Groups of texts, each group as long as one place may be, without cutting a text. */
export function packed(most: number): string[] {
  const packs: string[] = [];
  for (const text of polyglots) {
    const last = packs.at(-1);
    if (last !== undefined && last.length + text.length < most) packs[packs.length - 1] = `${last} ${text}`;
    else packs.push(text);
  }
  return packs;
}

/** The text at an index; the list repeats. */
export const polyglotAt = (index: number) => polyglots[index % polyglots.length] ?? "";
/**
 * An event in the form of SDKs with hostile text in every place. Enough of these events together have every text in
 * every kind of list.
 */
export function polyglotEvent(number: number, perEvent: number) {
  const start = number * perEvent;
  const texts = Array.from({ length: perEvent }, (_, index) => polyglotAt(start + index));
  const joined = texts.join(" ");
  const pairs = Object.fromEntries(texts.map((text, index) => [polyglotAt(start + index + 7), text]));
  const frames = texts.map((text, index) => ({
    function: text,
    filename: polyglotAt(start + index + 1),
    abs_path: polyglotAt(start + index + 2),
    module: polyglotAt(start + index + 3),
    package: polyglotAt(start + index + 4),
    lineno: 1 + index,
    in_app: true,
    pre_context: [polyglotAt(start + index + 5)],
    context_line: text,
    post_context: [polyglotAt(start + index + 6)],
    vars: { [text]: text, nested: { [text]: [text] } },
  }));
  return {
    event_id: newEventId(),
    platform: number % 2 === 0 ? "javascript" : joined,
    level: number % 3 === 0 ? joined : "error",
    logger: joined,
    message: joined,
    logentry: { message: `${joined} %s`, params: [joined], formatted: joined },
    transaction: joined,
    server_name: joined,
    release: polyglotAt(start),
    dist: joined,
    environment: polyglotAt(start + 1),
    exception: {
      values: [
        { type: joined, value: joined, module: joined, stacktrace: { frames } },
        ...texts.slice(0, 10).map((text) => ({
          type: text,
          value: text,
          mechanism: { type: text, description: text, help_link: text, data: { [text]: text } },
        })),
      ],
    },
    threads: { values: [{ id: joined, name: joined, stacktrace: { frames: frames.slice(0, 5) }, crashed: true }] },
    tags: pairs,
    extra: pairs,
    contexts: { browser: { name: joined, version: joined }, os: { name: joined }, [polyglotAt(start)]: pairs },
    modules: pairs,
    user: {
      id: joined,
      username: joined,
      email: joined,
      ip_address: joined,
      name: joined,
      [polyglotAt(start)]: joined,
    },
    request: {
      url: polyglotAt(start + 56 + number), // some of them addresses
      method: joined,
      query_string: joined,
      headers: pairs,
      cookies: pairs,
      data: pairs,
      env: pairs,
    },
    breadcrumbs: {
      values: texts.map((text) => ({ type: text, category: text, level: text, message: text, data: { [text]: text } })),
    },
    sdk: { name: joined, version: joined, integrations: texts, packages: [{ name: joined, version: joined }] },
    fingerprint: ["{{ default }}", `${number}`],
  };
}
