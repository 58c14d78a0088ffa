import { ErrorReason, ErrorStatus, EventPosition } from "@faultline/proto";
import { type CallContext, CallError, reasonName } from "@faultline/proto/grpc";
import { status } from "@grpc/grpc-js";
import * as assert from "uvu/assert";
import { fakeExternal, type FakeAnswer, type FakeExternal, type FakeExternalOptions } from "./fake-external.ts";
import type { FakeProject } from "./played-sentry/data.ts";
import type { GrpcClient } from "../core/grpc.ts";
import { linkedProject, type LinkedProject, type LinkOptions } from "../core/linked-project.ts";

/** The issue that every method asks for. */
export const issueId = "1001";

/** The public methods that return answers of an external system, except `projects.json`, which is about HTTP. */
export const doors = {
  "the list": (client: GrpcClient, { projectId }: LinkedProject, more: CallContext = {}) =>
    client.errors.listErrors({ projectId }, { ...client.auth, ...more }),
  "an error": (client: GrpcClient, { projectId }: LinkedProject, more: CallContext = {}) =>
    client.errors.getError({ projectId, errorId: issueId }, { ...client.auth, ...more }),
  "an event": (client: GrpcClient, { projectId }: LinkedProject, more: CallContext = {}) =>
    client.errors.getEvent(
      { projectId, errorId: issueId, position: EventPosition.NEWEST },
      { ...client.auth, ...more },
    ),
  "an update": (client: GrpcClient, { projectId }: LinkedProject, more: CallContext = {}) =>
    client.errors.updateErrors(
      { projectId, changes: [{ errorId: issueId, status: ErrorStatus.RESOLVED }] },
      { ...client.auth, ...more },
    ),
  Connect: (client: GrpcClient, { projectId }: LinkedProject, more: CallContext = {}) =>
    client.settings.listExternalProjects({ projectId }, { ...client.auth, ...more }),
} as const;

export type Door = keyof typeof doors;
export const doorNames = Object.keys(doors) as Door[];

/** The expected reason and message of a refused call. */
export interface Ending {
  readonly reason: ErrorReason;
  readonly message: string | RegExp;
}

/** The refusals that we recorded from the original, with our reasons. */
export const endings = {
  status(code: number): Ending {
    const reason =
      code === 401 || code === 403
        ? ErrorReason.EXTERNAL_TOKEN_REFUSED
        : code === 429
          ? ErrorReason.EXTERNAL_RATE_LIMITED
          : code >= 500
            ? ErrorReason.EXTERNAL_UNREACHABLE
            : ErrorReason.EXTERNAL_ANSWER_INVALID;
    return { reason, message: `Sentry response status code: ${code}` };
  },
  refused: { reason: ErrorReason.EXTERNAL_UNREACHABLE, message: "Connection refused" },
  broken: {
    reason: ErrorReason.EXTERNAL_UNREACHABLE,
    message: "Received SocketError when trying to connect to Sentry",
  },
  tls: { reason: ErrorReason.EXTERNAL_UNREACHABLE, message: "Sentry returned invalid SSL data" },
  late: { reason: ErrorReason.EXTERNAL_UNREACHABLE, message: "Sentry request failed due to ReadTimeout" },
  notHttp: { reason: ErrorReason.EXTERNAL_ANSWER_INVALID, message: "Error when connecting to Sentry" },
  blocked: { reason: ErrorReason.EXTERNAL_ADDRESS_REFUSED, message: "Sentry request failed due to BlockedUrlError" },
  notJson: { reason: ErrorReason.EXTERNAL_ANSWER_INVALID, message: "Unexpected Error" },
  footprint: {
    reason: ErrorReason.EXTERNAL_ANSWER_INVALID,
    message: "Sentry API response memory footprint is too big. Limit is 5 MB.",
  },
  missingKeys: { reason: ErrorReason.EXTERNAL_ANSWER_INVALID, message: /^Sentry API response is missing keys\. / },
  tooBig(bytes: number | RegExp): Ending {
    const pattern = typeof bytes === "number" ? String(bytes) : bytes.source;
    return {
      reason: ErrorReason.EXTERNAL_ANSWER_INVALID,
      message: new RegExp(`^Sentry API response is too big\\. Limit is 1 MB\\. Got ${pattern} bytes\\.$`),
    };
  },
} as const;

/** A hostile system with many projects, so that each case of a test has a separate project and an empty cache. */
export async function hostileExternal(
  options: FakeExternalOptions = {},
): Promise<{ fake: FakeExternal; link(client: GrpcClient, more?: LinkOptions): Promise<LinkedProject> }> {
  const projects = Array.from({ length: 300 }, (_, index): FakeProject => {
    const name = `hostile-${index + 1}`;
    return { id: `${index + 1}`, slug: name, name, organization: "acme", status: "active" };
  });
  const fake = await fakeExternal({ projects, ...options });
  let next = 0;
  return {
    fake,
    link: (client, more) =>
      linkedProject(client, fake, { external: fake.data.projects[next++]?.slug ?? "none", ...more }),
  };
}

/** Text of the external system that must not appear in our answers: its secrets and its address. */
export const secretText = "hunter2-of-the-upstream";

/** Asserts that a call is refused as expected, and that the refusal contains nothing that the system sent. */
export async function endsIn(call: Promise<unknown>, { reason, message }: Ending, what: string): Promise<CallError> {
  const error = await call.then(
    (answer) => assert.unreachable(`${what} was answered: ${shown(answer)}`),
    (thrown: unknown) => thrown,
  );
  assert.instance(error, CallError, `${what}: ${String(error)}`);
  const refusal = error as CallError;
  const ending = `${reasonName(refusal.reason)}: ${refusal.message}`;
  assert.is(reasonName(refusal.reason), reasonName(reason), `${what} ended in ${ending}`);
  if (typeof message === "string") assert.is(refusal.message, message, what);
  else assert.match(refusal.message, message, what);
  assert.not.match(ending, secretText);
  assert.is.not(status[refusal.code], "INTERNAL", what);
  return refusal;
}

function shown(answer: unknown): string {
  return JSON.stringify(answer, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)).slice(0, 500);
}

/** Writes bytes in place of an answer. `then` happens once they are sent. */
export function raw(bytes: string | Buffer, then: "end" | "reset" | "wait" = "end"): FakeAnswer {
  return (response) => {
    const { socket } = response;
    socket?.write(bytes, () => {
      if (then === "end") socket.end();
      if (then === "reset") socket.resetAndDestroy();
    });
  };
}
