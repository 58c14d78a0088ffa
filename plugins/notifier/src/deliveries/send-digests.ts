import { type Host, projectPath, readErrors } from "@faultline/plugin";
import { projectPlace, type ProjectPlace } from "@faultline/plugin/text";
import { type Error as TrackedError, ErrorStatus } from "@faultline/proto";
import type { Kysely } from "kysely";
import { change } from "../change.ts";
import { afterDigest, firstDigestMinutes } from "../channels/budget.ts";
import { newDelivery } from "./new-delivery.ts";
import { Kinds } from "../kinds.ts";
import { readMailCounts } from "../mail/mail-limits.ts";
import { digestLine, projectLine } from "../messages/message-of-change.ts";
import type { Message } from "../messages/message.ts";
import type { ChannelRow, KindNumber, Tables } from "../tables.ts";

const shownLines = 10;

/** The newest errors, which are read to select the errors in a digest. */
const comparedErrors = 500;

interface Held {
  readonly id: number;
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
  readonly detail: string;
}

/**
 * Makes one message from the held changes of each channel with a due digest. Runs in one process of the installation at
 * a time. Projects take turns. A failed channel is tried again next time and does not delay other channels.
 */
export async function sendDigests(host: Host, baseUrl: () => string, signal: AbortSignal): Promise<void> {
  const { database, clock } = host;
  const due = await database
    .read<Tables>()
    .selectFrom("notifier_channel")
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("project_id").orderBy("digest_at"))
        .as("turn"),
    )
    .where("digest_at", "<=", clock.now())
    .orderBy("turn")
    .orderBy("digest_at")
    .execute();
  const failures: unknown[] = [];
  for (const channel of due) {
    if (signal.aborted) return;
    await sendDigest(host, channel, baseUrl()).catch((failure: unknown) => failures.push(failure));
  }
  for (const failure of failures) throw failure;
}

async function sendDigest(host: Host, { id, project_id: projectId }: ChannelRow, baseUrl: string): Promise<void> {
  const held = await host.database
    .read<Tables>()
    .selectFrom("notifier_held")
    .leftJoin("notifier_signal", "notifier_signal.id", "notifier_held.signal_id")
    .select(["notifier_held.id", "notifier_held.error_id", "notifier_held.notification_trigger"])
    .select(({ fn, val }) => fn.coalesce("notifier_signal.detail", val("")).as("detail"))
    .where("notifier_held.channel_id", "=", id)
    .orderBy("notifier_held.id", "desc")
    .execute();
  const errorIds = held
    .slice(0, comparedErrors)
    .map(({ error_id: errorId }) => errorId)
    .filter((errorId) => errorId !== "");
  const errors = errorIds.length === 0 ? new Map() : await readErrors(host, { projectId, errorIds });
  const project = projectPlace((await projectPath(host, projectId)) ?? "", baseUrl);
  const now = host.clock.now();
  await change(host.database, "notifier_channel", async (transaction) => {
    const channel = await transaction
      .selectFrom("notifier_channel")
      .selectAll()
      .where("id", "=", id)
      .where("digest_at", "<=", now)
      .executeTakeFirst();
    if (!channel) return; // it was deleted, or its digest is no longer due
    const [newest] = held;
    // Changes that were held after `held` was read are sent by the next run.
    if (!newest && (await holdsAnything(transaction, id))) return;
    const { user_id: userId } = channel;
    if (newest && userId !== null) {
      const counts = await readMailCounts(transaction, now);
      if (!counts.spend({ userId, projectId })) {
        const later = { digest_at: now + firstDigestMinutes * 60_000 };
        await transaction.updateTable("notifier_channel").set(later).where("id", "=", id).execute();
        return;
      }
      await counts.write(transaction);
    }
    const budget = afterDigest(channel, now, held.length);
    await transaction.updateTable("notifier_channel").set(budget).where("id", "=", id).execute();
    if (!newest) return;
    await transaction.deleteFrom("notifier_held").where("channel_id", "=", id).where("id", "<=", newest.id).execute();
    const message = digestMessage(held, { errors, project, kinds: new Kinds(host), now });
    const row = newDelivery(channel, { message, errorId: "", changeCount: held.length, now });
    await transaction.insertInto("notifier_delivery").values(row).execute();
  });
}

async function holdsAnything(tables: Kysely<Tables>, channelId: number): Promise<boolean> {
  const one = tables.selectFrom("notifier_held").select("id").where("channel_id", "=", channelId).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}

/**
 * The errors that affect the most people, then the errors with the most events, and the number of changes of each kind.
 * Errors that were ignored since are counted but not listed.
 */
export function digestMessage(
  held: readonly Held[],
  parts: { errors: ReadonlyMap<string, TrackedError>; project: ProjectPlace; kinds: Kinds; now: number },
): Message {
  const { errors, project, kinds, now } = parts;
  const inOrder = held.toSorted((one, other) => one.id - other.id);
  const ofProject = inOrder.filter(({ error_id: id }) => id === "");
  const newestOf = new Map(inOrder.filter(({ error_id: id }) => id !== "").map((one) => [one.error_id, one]));
  const shown = [...newestOf.values()]
    .flatMap((one) => {
      const error = errors.get(one.error_id);
      return error && error.status !== ErrorStatus.IGNORED ? [{ one, error }] : [];
    })
    .toSorted(({ error: a }, { error: b }) => b.affectedUserCount - a.affectedUserCount || b.eventCount - a.eventCount)
    .slice(0, shownLines);
  const more = newestOf.size - shown.length;
  return {
    kind: "digest",
    headline: held.length === 1 ? "1 more change" : `${held.length} more changes`,
    project: project.path,
    errorId: "",
    title: countsOf(held, kinds),
    place: "",
    level: "error",
    facts: more > 0 ? [{ label: "Not listed", value: more === 1 ? "1 error" : `${more} errors` }] : [],
    lines: [
      ...ofProject.slice(-shownLines).map((one) => projectLine({ ...one, status: ErrorStatus.UNSPECIFIED }, project)),
      ...shown.map(({ one, error }) => digestLine({ ...one, status: error.status }, error, project)),
    ].slice(0, shownLines),
    url: project.url,
    rule: "",
    note: "",
    at: now,
    thread: `digest.${now}`,
  };
}

function countsOf(held: readonly Held[], kinds: Kinds): string {
  const counts = Map.groupBy(held, (entry) => entry.notification_trigger);
  const inOrder = [...new Set([...kinds.all.map(({ number }) => number), ...counts.keys()])];
  return inOrder
    .flatMap((number) => (counts.has(number) ? [kinds.counted(number, counts.get(number)?.length ?? 0)] : []))
    .join(", ");
}
