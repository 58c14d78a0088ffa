import { normalDebugId } from "../bundle/debug-id.ts";

/** The id in the name by which sentry-cli uploads a mapping, such as `/proguard/8daf6b98-45d0-52e5-95b2-db2f30a12bb3.txt`. Undefined: it is no mapping's. */
export function mappingIdOf(name: string): string | undefined {
  const [, id] = /(?:^|\/)proguard\/([^/]{32,36})\.txt$/.exec(name) ?? [];
  return normalDebugId(id);
}
