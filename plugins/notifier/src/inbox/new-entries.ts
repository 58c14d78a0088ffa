import { noticeLimits } from "@faultline/plugin";
import { cleanLine } from "@faultline/plugin/text";
import { type Error as TrackedError, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { type Kysely, sql } from "kysely";
import { afterDigest, firstDigestMinutes, fullBudget, spend } from "../channels/budget.ts";
import { detailOf } from "../signal-detail.ts";
import type { InboxRow, KindNumber, PersonBudgetRow, SignalRow, Tables } from "../tables.ts";

const rowsAtOnce = 500;

/** A change that a person gets. */
export interface NewEntry {
  readonly userId: number;
  readonly signal: SignalRow;
  readonly error: TrackedError;
  /** When it is shown: now, or when the person's quiet hours end. */
  readonly dueAt: number;
}

/** An entry that gathers changes. */
interface Gathering {
  readonly id: number;
  readonly counts: GatheredCounts;
  readonly dueAt: number;
}

type NewRow = Omit<InboxRow, "id">;

/** The new budget and inbox entries after a person's new changes. */
interface Written {
  readonly budget: PersonBudgetRow;
  readonly singles: readonly NewRow[];
  /** The entry that gathers the rest, with the id of the entry that it continues. */
  readonly gathering: { readonly row: NewRow; readonly continues: number | undefined } | undefined;
}

/**
 * Writes entries. A person gets five individual entries of each project, like a channel. Further changes are gathered
 * in one entry for 10 minutes, then in the next for 20, 40 and 60. Returns the people with changed inboxes.
 */
export async function writeEntries(
  tables: Kysely<Tables>,
  { projectId, entries, now }: { projectId: number; entries: readonly NewEntry[]; now: number },
): Promise<readonly number[]> {
  if (entries.length === 0) return [];
  const ofPeople = Map.groupBy(entries, ({ userId }) => userId);
  const userIds = [...ofPeople.keys()];
  const budgets = await budgetsOf(tables, projectId, userIds);
  const gatherings = await gatheringsOf(tables, [...budgets.values()]);
  const all = [...ofPeople].map(([userId, own]) => {
    const budget = budgets.get(userId) ?? newBudget(userId, projectId, now);
    return entriesOf(own, { budget, open: gatherings.get(budget.entry_id ?? 0), now });
  });
  await insertAll(
    tables,
    all.flatMap(({ singles }) => singles),
  );
  const written: PersonBudgetRow[] = [];
  for (const { budget, gathering } of all) {
    const entryId = gathering && (await writeGathering(tables, gathering));
    written.push({ ...budget, entry_id: entryId ?? budget.entry_id });
  }
  await writeBudgets(tables, written);
  return userIds;
}

/** Pure. `open` is the entry of the budget, if it still exists. */
export function entriesOf(
  entries: readonly NewEntry[],
  { budget: before, open, now }: { budget: PersonBudgetRow; open: Gathering | undefined; now: number },
): Written {
  let budget = untilNow(before, open, now);
  const singles: NewRow[] = [];
  let counts: GatheredCounts = {};
  let last: NewEntry | undefined;
  for (const entry of entries) {
    const { isHeld, state } = spend(budget, now);
    budget = { ...budget, ...state };
    if (isHeld) [counts, last] = [counted(counts, entry.signal.notification_trigger), entry];
    else singles.push(singleRow(entry, now));
  }
  if (!last) return { budget, singles, gathering: undefined };
  const continued = budget.entry_id !== null && open && isShownWith(open, last.dueAt, now) ? open : undefined;
  const row = { ...singleRow(last, now), ...gatheringRow, gathered: JSON.stringify(sumOf(continued?.counts, counts)) };
  return { budget, singles, gathering: { row, continues: continued?.id } };
}

/** Ends each expired period of gathering at the time when it expired. */
function untilNow(before: PersonBudgetRow, open: Gathering | undefined, now: number): PersonBudgetRow {
  let budget = before;
  let held = open ? totalOf(open.counts) : 0;
  while (budget.digest_at !== null && budget.digest_at <= now) {
    budget = { ...budget, ...afterDigest(budget, budget.digest_at, held), entry_id: null };
    held = 0;
  }
  return budget;
}

/** An entry that was shown before quiet hours began stays visible. */
const isShownWith = (open: Gathering, dueAt: number, now: number): boolean => Math.max(open.dueAt, now) === dueAt;

function sumOf(some: GatheredCounts = {}, others: GatheredCounts): GatheredCounts {
  const triggers = new Set([...Object.keys(some), ...Object.keys(others)]);
  return Object.fromEntries([...triggers].map((trigger) => [trigger, (some[trigger] ?? 0) + (others[trigger] ?? 0)]));
}

const singleRow = ({ userId, signal, error, dueAt }: NewEntry, now: number): NewRow => ({
  user_id: userId,
  project_id: signal.project_id,
  error_id: signal.error_id,
  notification_trigger: signal.notification_trigger,
  status: signal.status,
  made_by: signal.made_by,
  title: cleanLine(error.title, 200),
  culprit: cleanLine(error.culprit, 200),
  level: cleanLine(error.level, 20),
  gathered: "{}",
  happened_at: signal.happened_at,
  created_at: now,
  changed_at: now,
  due_at: dueAt,
  read_at: null,
  text: cleanLine(detailOf(signal).notice?.text ?? "", noticeLimits.textLength),
});

const gatheringRow = {
  error_id: "",
  notification_trigger: NotificationTrigger.UNSPECIFIED,
  status: ErrorStatus.UNSPECIFIED,
  made_by: "",
  title: "",
  culprit: "",
  level: "",
  text: "",
};

async function insertAll(tables: Kysely<Tables>, rows: readonly NewRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await tables
      .insertInto("notifier_inbox")
      .values(rows.slice(start, start + rowsAtOnce))
      .execute();
  }
}

/** Returns the entry's id. A read entry becomes unread again. */
async function writeGathering(
  tables: Kysely<Tables>,
  { row, continues }: NonNullable<Written["gathering"]>,
): Promise<number> {
  if (continues === undefined) {
    return (await tables.insertInto("notifier_inbox").values(row).returning("id").executeTakeFirstOrThrow()).id;
  }
  const { gathered, happened_at, changed_at, due_at } = row;
  await tables
    .updateTable("notifier_inbox")
    .set({ gathered, happened_at, changed_at, due_at, read_at: null })
    .where("id", "=", continues)
    .execute();
  return continues;
}

async function budgetsOf(
  tables: Kysely<Tables>,
  projectId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, PersonBudgetRow>> {
  const rows = await tables
    .selectFrom("notifier_person_budget")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("user_id", "in", [...userIds])
    .execute();
  return new Map(rows.map((row) => [row.user_id, row]));
}

const newBudget = (userId: number, projectId: number, now: number): PersonBudgetRow => ({
  user_id: userId,
  project_id: projectId,
  budget: fullBudget,
  budget_at: now,
  digest_at: null,
  digest_minutes: firstDigestMinutes,
  entry_id: null,
});

/** The entries of budgets, by id. */
async function gatheringsOf(
  tables: Kysely<Tables>,
  budgets: readonly PersonBudgetRow[],
): Promise<ReadonlyMap<number, Gathering>> {
  const ids = budgets.flatMap(({ entry_id: id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await tables
    .selectFrom("notifier_inbox")
    .select(["id", "gathered", "due_at"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, gathered, due_at }) => [id, { id, counts: readCounts(gathered), dueAt: due_at }]));
}

async function writeBudgets(tables: Kysely<Tables>, rows: readonly PersonBudgetRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await tables
      .insertInto("notifier_person_budget")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) =>
        conflict.columns(["user_id", "project_id"]).doUpdateSet({
          budget: sql<number>`excluded.budget`,
          budget_at: sql<number>`excluded.budget_at`,
          digest_at: sql<number | null>`excluded.digest_at`,
          digest_minutes: sql<number>`excluded.digest_minutes`,
          entry_id: sql<number | null>`excluded.entry_id`,
        }),
      )
      .execute();
  }
}

/** The number of gathered changes of an entry, by kind. */
export type GatheredCounts = Readonly<Record<string, number>>;

/** The counts with one more change. */
export const counted = (counts: GatheredCounts, kind: KindNumber): GatheredCounts => ({
  ...counts,
  [kind]: (counts[kind] ?? 0) + 1,
});

/** Reads the output of `JSON.stringify`. */
export const readCounts = (json: string): GatheredCounts => JSON.parse(json) as GatheredCounts;

export const totalOf = (counts: GatheredCounts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);
