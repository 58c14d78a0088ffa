import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BackendCall, Clock, ExternalTarget, Outbound } from "@faultline/plugin";
import type { ListExternalProjectsResponseSchema } from "@faultline/proto";
import { addressOf } from "../calling/address.ts";
import { failureOf } from "../calling/failures.ts";
import { readCursors, readProjects, readScopes } from "../reading/index.ts";
import { parsed, send } from "../calling/send.ts";

/** Time for all requests of Connect. */
const connectMs = 10_000;

/** The purpose of each scope; a scope that implies another one counts for it. */
const neededScopes = [
  { scope: "project:read", or: ["project:write", "project:admin"], lack: "so its projects cannot be listed" },
  { scope: "event:read", or: ["event:write", "event:admin"], lack: "so errors cannot be read from here" },
  { scope: "event:write", or: ["event:admin"], lack: "so errors cannot be resolved from here" },
];

/**
 * The projects that a token can see: the first page, at most 100, as in the original. Also warnings of what works but
 * should be known: these are asked for at the same time, and where the system does not report it there is no warning.
 * No version is asked for: the rule of specification 9.1 is about the installation's own failures, not about
 * applications of developers.
 */
export async function listProjects(
  parts: { readonly outbound: Outbound; readonly clock: Clock },
  target: ExternalTarget,
  { signal }: BackendCall,
): Promise<MessageInitShape<typeof ListExternalProjectsResponseSchema>> {
  const done = new AbortController();
  const until = AbortSignal.any([done.signal, AbortSignal.timeout(connectMs), ...(signal ? [signal] : [])]);
  const get = (url: string) => send(parts, { method: "GET", url }, target, until);
  try {
    const [{ body, headers }, scopes] = await Promise.all([
      get(addressOf(target.apiUrl, ["projects"])),
      get(addressOf(target.apiUrl, []))
        .then((answer) => readScopes(parsed(answer.body)))
        .catch(() => undefined),
    ]);
    const externalProjects = readProjects(parsed(body));
    const { next } = readCursors(headers["link"]);
    return {
      externalProjects,
      warnings: [
        ...(scopes ? missingScopes(scopes) : []),
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
