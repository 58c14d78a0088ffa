import type { TrackedEvent } from "#lib/messages.ts";
import { valueText } from "./value-text.ts";

/** A part that differs between two events; undefined for an event without the part. */
export interface EventChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
}

type Compared = Pick<
  TrackedEvent,
  "level" | "release" | "environment" | "serverName" | "transaction" | "user" | "tags" | "request" | "contexts"
>;

/** The differences between an event and an older event of the same error, in the order of the page. */
export function eventChanges(older: Compared, now: Compared): EventChange[] {
  const [before, after] = [partsOf(older), partsOf(now)];
  return [...new Set([...after.keys(), ...before.keys()])]
    .map((name) => ({ name, before: before.get(name), now: after.get(name) }))
    .filter((change) => change.before !== change.now);
}

/** Parts by their names, without empty ones. */
function partsOf({ tags, user, request, contexts, ...event }: Compared): Map<string, string> {
  const parts: (readonly [name: string, value: unknown])[] = [
    ["Level", event.level],
    ["Release", event.release],
    ["Environment", event.environment],
    ["Server", event.serverName],
    ["Transaction", event.transaction],
    ["User ID", user?.id],
    ["Username", user?.username],
    ["User e-mail", user?.email],
    ["User IP address", user?.ipAddress],
    ...named("Tag", tags),
    ["Request method", request?.method],
    ["Request URL", request?.url],
    ["Request query", request?.queryString],
    ["Request body", request?.data],
    ...Object.entries(contexts ?? {}).flatMap(([key, value]) =>
      isRecord(value) ? named(`Context ${key}:`, value) : named("Context", { [key]: value }),
    ),
  ];
  return new Map(
    parts.flatMap(([name, value]) => {
      const text = value === undefined || value === null ? "" : valueText(value);
      return text === "" ? [] : [[name, text] as const];
    }),
  );
}

const named = (kind: string, values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => [`${kind} ${key}`, value] as const);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
