import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BackendCall, Clock, ExternalTarget, Outbound } from "@faultline/plugin";
import type { JsonValue } from "@faultline/plugin/sentry-event";
import type { ListExternalProjectsResponseSchema } from "@faultline/proto";
import { addressOf } from "./address.ts";
import { failureOf } from "./failures.ts";
import { readCursors, readProjects, readScopes, readVersion } from "./reading/index.ts";
import { parsed, send } from "./send.ts";

/** Time for all that Connect asks. */
const connectMs = 10_000;

/** Older releases are not supported (specification 9.1). */
const oldestVersion = "21.5.0";

/** What each scope is good for; one that implies another counts for it. */
const neededScopes = [
  { scope: "project:read", or: ["project:write", "project:admin"], lack: "so its projects may not be listed" },
  { scope: "event:read", or: ["event:write", "event:admin"], lack: "so errors cannot be read from here" },
  { scope: "event:write", or: ["event:admin"], lack: "so errors cannot be resolved from here" },
];

/**
 * The projects that a token sees: the first page, at most 100, as in the original. Beside them, what works but should be
 * known: that is asked for at the same time, and where it is not told there is nothing to warn of.
 */
export async function listProjects(
  parts: { readonly outbound: Outbound; readonly clock: Clock },
  target: ExternalTarget,
  { signal }: BackendCall,
): Promise<MessageInitShape<typeof ListExternalProjectsResponseSchema>> {
  const done = new AbortController();
  const until = AbortSignal.any([done.signal, AbortSignal.timeout(connectMs), ...(signal ? [signal] : [])]);
  const get = (url: string) => send(parts, { method: "GET", url }, target, until);
  const tellOf = <T>(url: string, read: (json: JsonValue) => T) =>
    get(url)
      .then(({ body }) => read(parsed(body)))
      .catch(() => undefined);
  try {
    const projects = get(addressOf(target.apiUrl, ["projects"]));
    const [{ body, headers }, scopes, version] = await Promise.all([
      projects,
      tellOf(addressOf(target.apiUrl, []), readScopes),
      tellOf(addressOf(target.apiUrl, ["client-config"], {}, "/api/"), readVersion),
    ]);
    const externalProjects = readProjects(parsed(body));
    const { next } = readCursors(headers["link"]);
    return {
      externalProjects,
      warnings: [
        ...(scopes ? missingScopes(scopes) : []),
        ...(version !== undefined && isOlder(version, oldestVersion)
          ? [`The external system has the version ${version}. Versions before ${oldestVersion} are not supported.`]
          : []),
        ...(next === undefined ? [] : ["The token sees more projects. Only the first 100 are shown."]),
      ],
    };
  } catch (thrown) {
    throw failureOf(thrown);
  } finally {
    done.abort(); // nobody waits for the rest when the list has failed
  }
}

function missingScopes(scopes: readonly string[]): string[] {
  return neededScopes
    .filter(({ scope, or }) => ![scope, ...or].some((one) => scopes.includes(one)))
    .map(({ scope, lack }) => `The token lacks ${scope}, ${lack}.`);
}

/** Compares calendar versions part by part: 9.1.2 is older than 21.5.0, and 21.10.0 is not. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbers(version), numbers(than)];
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The leading number of each part; a part that begins with none, such as `dev0`, is 0. */
function numbers(version: string): number[] {
  return version.split(".").map((part) => Number(/^\d+/.exec(part)?.[0] ?? 0));
}
