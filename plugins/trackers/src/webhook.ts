import { parseForeignJson, type Host, type HttpAnswer, type HttpApi, type HttpCall } from "@faultline/plugin";
import { TrackerIssueState as State } from "@faultline/proto";
import { trackerKindNamed } from "./kinds.ts";
import type { TrackerRow, TrackerTables } from "./tables.ts";
import { hookPrefix, openTrackerConfig } from "./tracker.ts";

/** An issue with the longest texts of GitHub has less. GitLab allows more: such an issue is read at its time. */
const maxBodyBytes = 1024 * 1024;

const minuteMs = 60_000;

/**
 * Takes the webhooks of trackers about issues. One is nothing but a reason to read its issue now: what happens follows from what
 * the tracker then answers, so that an old webhook, sent again, does nothing.
 */
export const trackerWebhooks = (host: () => Host | undefined): HttpApi => ({
  prefix: hookPrefix,
  routes: [{ path: `${hookPrefix}/:key`, isRaw: true, methods: { POST: (call) => take(host(), call) } }],
  refusal: ({ message }) => said(503, message),
  notFound: said(404, "This address does not exist."),
});

async function take(host: Host | undefined, { path, headers, rawBody }: HttpCall): Promise<HttpAnswer> {
  // Looked up before the body is read: strangers do not know the address.
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
