import {
  callsToReadErrors,
  contractVersion,
  type Host,
  type Plugin,
  type Movable,
  type ErrorTransition,
  type HandleErrorTransitions,
  parseForeignJson,
  type HttpAnswer,
  type HttpApi,
  type HttpCall,
} from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { ErrorStatus, TrackerIssueState as State } from "@faultline/proto";
import { issueService } from "./issues/issue-service.ts";
import { workOnIssues } from "./issues/work.ts";
import { migrations } from "./migrations/migrations.ts";
import * as issueOperations from "./rest/issues.ts";
import * as trackerOperations from "./rest/trackers.ts";
import { trackerService } from "./tracker-service.ts";
import { trackerColumn, hookPrefix, openTrackerConfig } from "./tracker.ts";
import type { IssueChangeKind, TrackerTables, TrackerRow } from "./tables.ts";
import { newMark, trackerCalls } from "./issues/create-issue.ts";
import { trackerKindNamed } from "./kinds/tracker-kinds.ts";

/** How soon due work begins. */
const lookEachMs = 500;

/**
 * Issue trackers: keeps the issue of an error in GitLab, GitHub or Jira. `baseUrl` returns the address of the console,
 * for links.
 */
export function trackers({ baseUrl }: { baseUrl: () => string }): Plugin {
  let started: Host | undefined;
  return {
    name: "trackers",
    contract: contractVersion,
    migrations,
    movable,
    sealedColumns: [trackerColumn],
    errorTransitions: noteForIssues,
    calls: [...callsToReadErrors, ...trackerCalls],
    services: [trackerService(baseUrl), issueService(baseUrl)],
    api: trackerWebhooks(() => started),
    rest: operationsOf(trackerOperations, issueOperations),
    async start(host: Host) {
      started = host;
      const work = (signal: AbortSignal) => workOnIssues({ host, baseUrl }, signal);
      host.scheduler.every(lookEachMs, "work on issues", work, { alone: true });
    },
  };
}

/** How a move to PostgreSQL copies the plugin's tables. */
const movable: Movable = {
  tables: ["notifier_tracker", "notifier_issue", "notifier_issue_change"].map((name) => ({
    name,
    key: ["id"],
    refersToCore: true,
  })),
  otherTables: { sqlite: [], postgresql: [] },
};

/** Changes that the plugin makes because an issue was closed are not sent to that issue. */
const ourselves = "plugin:trackers";

/**
 * Notes the changes to send to the issues of errors, in the transaction that takes the transitions. Deletes an issue
 * with its error.
 */
const noteForIssues =
  ({ clock }: Pick<Host, "clock">): HandleErrorTransitions =>
  async (transitions, transaction) => {
    const concerning = transitions.filter((one) => one.kind === "erased" || changeOf(one) !== undefined);
    if (concerning.length === 0) return;
    const tables = transaction.write<TrackerTables>();
    const issues = await tables
      .selectFrom("notifier_issue")
      .select(["id", "project_id", "error_id", "state"])
      .where("project_id", "in", [...new Set(concerning.map(({ projectId }) => projectId))])
      .where("error_id", "in", [...new Set(concerning.map(({ errorId }) => errorId))])
      .execute();
    if (issues.length === 0) return;
    const rowOf = new Map(issues.map((row) => [`${row.project_id} ${row.error_id}`, row]));
    for (const one of concerning) {
      const row = rowOf.get(`${one.projectId} ${one.errorId}`);
      const kind = changeOf(one);
      if (!row) continue;
      if (kind === undefined) await tables.deleteFrom("notifier_issue").where("id", "=", row.id).execute();
      else if (row.state !== State.FAILED) {
        const columns = { kind, mark: newMark(), release: one.release, actor: one.by, tries: 0 };
        const now = clock.now();
        const values = { issue_id: row.id, ...columns, happened_at: now, due_at: now };
        await tables.insertInto("notifier_issue_change").values(values).execute();
      }
    }
  };

function changeOf({ kind, status, by }: ErrorTransition): IssueChangeKind | undefined {
  if (kind === "reopened") return "returned";
  return kind === "status" && status === ErrorStatus.RESOLVED && by !== ourselves ? "resolved" : undefined;
}

/**
 * Enough for an issue with the longest texts of GitHub. GitLab allows more: larger issues wait for their regular
 * reading.
 */
const maxBodyBytes = 1024 * 1024;

const minuteMs = 60_000;

/**
 * Takes the webhooks of trackers about issues. A webhook only prompts us to read its issue now: the tracker's answer
 * decides what happens, so that a replayed webhook does nothing.
 */
const trackerWebhooks = (host: () => Host | undefined): HttpApi => ({
  prefix: hookPrefix,
  routes: [{ path: `${hookPrefix}/:key`, isRaw: true, methods: { POST: (call) => take(host(), call) } }],
  refusal: ({ message }) => said(503, message),
  notFound: said(404, "This address does not exist."),
});

async function take(host: Host | undefined, { path, headers, rawBody }: HttpCall): Promise<HttpAnswer> {
  // Looked up before the body is read because strangers do not know the address.
  const tracker = host && (await trackerOf(host, path["key"] ?? ""));
  if (!host || !tracker) return said(404, "This address does not exist.");
  const body = await rawBody(maxBodyBytes);
  if (!body) return said(413, "The body is too large.");
  const kind = trackerKindNamed(tracker.kind);
  const { hookSecret } = openTrackerConfig(host.secrets, tracker);
  if (!kind.isSigned({ headers, body }, hookSecret, host.clock.now())) {
    return said(401, "The secret or the signature is wrong.");
  }
  let sent: unknown;
  try {
    sent = parseForeignJson(body);
  } catch {
    return said(400, "The body is not JSON. Choose the content type application/json.");
  }
  await hurry(host, tracker, kind.keyOfHook(sent));
  return { status: 204 };
}

function trackerOf({ database }: Host, key: string): Promise<TrackerRow | undefined> {
  return database
    .read<TrackerTables>()
    .selectFrom("notifier_tracker")
    .selectAll()
    .where("hook_key", "=", key)
    .executeTakeFirst();
}

/** Makes the reading of an issue due, and notes that webhooks arrive. */
async function hurry({ database, clock }: Host, tracker: TrackerRow, key: string | undefined): Promise<void> {
  const write = database.write<TrackerTables>();
  const now = clock.now();
  if (tracker.hook_at === null || tracker.hook_at < now - minuteMs) {
    await write.updateTable("notifier_tracker").set({ hook_at: now }).where("id", "=", tracker.id).execute();
  }
  if (key === undefined) return;
  await write
    .updateTable("notifier_issue")
    .set({ due_at: now })
    .where("tracker_id", "=", tracker.id)
    .where("issue_key", "=", key)
    .where("state", "in", [State.OPEN, State.CLOSED])
    .execute();
}

const said = (status: number, message: string): HttpAnswer => ({ status, body: { message } });
