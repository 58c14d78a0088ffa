import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError, timestamp, type SealedColumn, type Secrets } from "@faultline/plugin";
import { ErrorReason, type TrackerSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import { trackerKindNamed } from "./kinds/tracker-kinds.ts";
import type { TrackerRow, TrackerTables } from "./tables.ts";
import type { TrackerConfig } from "./tracker-kind.ts";

/** The column with the encrypted settings. */
export const trackerColumn: SealedColumn = { table: "notifier_tracker", name: "config" };

/** Trackers send their webhooks to addresses below this path. */
export const hookPrefix = "/api/tracker_webhooks";

export const openTrackerConfig = (secrets: Secrets, { id, config }: Pick<TrackerRow, "id" | "config">): TrackerConfig =>
  JSON.parse(secrets.open(trackerColumn, id, config)) as TrackerConfig; // written by sealTrackerConfig

export const sealTrackerConfig = (secrets: Secrets, id: number, config: TrackerConfig): string =>
  secrets.seal(trackerColumn, id, JSON.stringify(config));

/** In the form that GitLab requires of signing tokens; GitHub and Jira accept any text. */
export const newHookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

export function trackerToProto(
  row: TrackerRow,
  { fields }: TrackerConfig,
  baseUrl: string,
): MessageInitShape<typeof TrackerSchema> {
  const kind = trackerKindNamed(row.kind);
  const given = (isSecret: boolean) =>
    kind.fields.flatMap(({ key, isSecret: is }) => {
      const value = fields[key];
      return is === isSecret && value !== undefined ? [[key, value] as const] : [];
    });
  return {
    trackerId: row.id,
    projectId: row.project_id,
    kind: row.kind,
    name: row.name,
    settings: Object.fromEntries(given(false)),
    secretHints: Object.fromEntries(given(true).map(([key, value]) => [key, hintOf(value)])),
    onlyComments: row.only_comments !== 0,
    failedCalls: row.failed_calls,
    failure: row.failure,
    webhookUrl: `${baseUrl.replace(/\/+$/, "")}${hookPrefix}/${row.hook_key}`,
    ...(row.hook_at !== null && { lastWebhookTime: timestamp(row.hook_at) }),
    createdTime: timestamp(row.created_at),
    createdBy: row.created_by,
  };
}

/** The last four characters; none of a short secret. */
const hintOf = (secret: string): string => `…${secret.length >= 16 ? secret.slice(-4) : ""}`;

/** The trackers of a project, ordered by id. */
export function trackersIn(tables: Kysely<TrackerTables>, projectId: number): Promise<TrackerRow[]> {
  return tables.selectFrom("notifier_tracker").selectAll().where("project_id", "=", projectId).orderBy("id").execute();
}

/** Returns a tracker of a project, or refuses. */
export async function readTracker(
  tables: Kysely<TrackerTables>,
  projectId: number,
  trackerId: number,
): Promise<TrackerRow> {
  const found = (await trackersIn(tables, projectId)).find(({ id }) => id === trackerId);
  if (found) return found;
  throw new ServiceError(
    ErrorReason.TRACKER_NOT_FOUND,
    "This issue tracker does not exist in this project. It may have been deleted.",
  );
}
