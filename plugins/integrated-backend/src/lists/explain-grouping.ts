import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GroupingEyes } from "@faultline/plugin";
import { differenceOf, explainGroup, type GroupingReason } from "@faultline/sentry-event";
import {
  EventPosition,
  GroupingPartKind,
  type ExplainGroupingRequest,
  type ExplainGroupingResponseSchema,
  type GroupingExplanationSchema,
  type GroupingPartSchema,
} from "@faultline/proto";
import type { Aliases } from "../grouping/aliases.ts";
import { groupHash, groupingVersion } from "../grouping/group-events.ts";
import { headOf } from "../grouping/regroup.ts";
import { hidden } from "../tables.ts";
import type { Storage } from "../storage.ts";
import { otherErrorsHash } from "../event/summary.ts";
import { findEvent } from "./events.ts";

const most = { counted: 200, left: 100, different: 100, hashes: 100 };

interface Parts {
  readonly storage: Storage;
  readonly aliases: Aliases;
}

/** Explains why an event is in its error, and what distinguishes it from the newest event of another error. */
export async function explainGrouping(
  parts: Parts,
  { projectId, errorId, eventId, otherErrorId }: ExplainGroupingRequest,
  eyes: GroupingEyes,
): Promise<MessageInitShape<typeof ExplainGroupingResponseSchema>> {
  const here = await explained(parts, { projectId, errorId, eventId }, eyes);
  if (otherErrorId === "") return { explanation: explanationOf(here) };
  const there = await explained(parts, { projectId, errorId: otherErrorId, eventId: "" }, eyes);
  const { onlyHere, onlyThere } = differenceOf(here.reasons, there.reasons);
  return {
    explanation: explanationOf(here),
    other: explanationOf(there),
    difference: {
      onlyHere: onlyHere.slice(0, most.different).map(partOf),
      onlyThere: onlyThere.slice(0, most.different).map(partOf),
      summary: summaryOf(here, there, onlyHere.length + onlyThere.length),
    },
  };
}

interface Explained {
  readonly reasons: readonly GroupingReason[];
  readonly errorId: string;
  readonly eventId: string;
  readonly title: string;
  readonly hash: string;
  /** Whether new events with the hash also belong to this error. */
  readonly isOwnHash: boolean;
  readonly errorHashes: readonly string[];
  /** See GroupingExplanation. */
  readonly hashErrorId: string;
}

async function explained(
  { storage, aliases }: Parts,
  asked: { projectId: number; errorId: string; eventId: string },
  { read, show }: GroupingEyes,
): Promise<Explained> {
  const row = await findEvent(storage, { ...asked, position: EventPosition.NEWEST });
  const [json, errorHashes] = await Promise.all([
    storage.eventJson(row),
    hashesOf(storage, { projectId: row.project_id, errorId: row.error_id }),
  ]);
  const sent = headOf(row, json);
  const [head = sent] = (await read?.([sent])) ?? [];
  const hash = groupHash(head);
  const ofHash = aliases.groupOf(row.project_id, hash);
  const isOwnHash = ofHash === errorHashes[0];
  const hashError = isOwnHash ? undefined : await errorOf(storage, { projectId: row.project_id, hash: ofHash });
  return {
    reasons: explainGroup(head, show).reasons,
    errorId: String(row.error_id),
    eventId: row.event_id.toString("hex"),
    title: show(row.title),
    hash,
    isOwnHash,
    errorHashes,
    hashErrorId: hashError === undefined ? "" : String(hashError),
  };
}

/** The hash of an error, and the hashes of the errors joined to it. */
async function hashesOf(
  { read }: Storage,
  { projectId, errorId }: { projectId: number; errorId: number },
): Promise<readonly string[]> {
  const error = await read
    .selectFrom("integrated_error")
    .select("group_hash")
    .where("project_id", "=", projectId)
    .where("id", "=", errorId)
    .executeTakeFirst();
  if (!error) return [];
  const aliases = await read
    .selectFrom("integrated_alias")
    .select("group_hash")
    .where("project_id", "=", projectId)
    .where("of_group_hash", "=", error.group_hash)
    .orderBy("created_at")
    .orderBy("group_hash")
    .limit(most.hashes - 1)
    .execute();
  return [error, ...aliases].map(({ group_hash }) => group_hash.toString("hex"));
}

/** The visible error of a group. */
async function errorOf(
  { read }: Storage,
  { projectId, hash }: { projectId: number; hash: string },
): Promise<number | undefined> {
  const error = await read
    .selectFrom("integrated_error")
    .select("id")
    .where("project_id", "=", projectId)
    .where("group_hash", "=", Buffer.from(hash, "hex"))
    .where("status", "<>", hidden)
    .executeTakeFirst();
  return error?.id;
}

function explanationOf({ reasons, ...facts }: Explained): MessageInitShape<typeof GroupingExplanationSchema> {
  const [counted, left] = [reasons.filter((one) => one.counted), reasons.filter((one) => !one.counted)];
  const shown = new Set([...counted.slice(0, most.counted), ...left.slice(0, most.left)]);
  return {
    errorId: facts.errorId,
    eventId: facts.eventId,
    title: facts.title,
    hash: facts.hash,
    errorHashes: [...facts.errorHashes],
    hashErrorId: facts.hashErrorId,
    version: groupingVersion,
    parts: reasons.filter((one) => shown.has(one)).map(partOf),
    otherPartCount: reasons.length - shown.size,
    note: noteOf(facts),
  };
}

function noteOf({ isOwnHash, errorHashes, hashErrorId }: Omit<Explained, "reasons">): string {
  if (isOwnHash) return "";
  return errorHashes.includes(otherErrorsHash)
    ? "The project had too many new errors in a short time, so the event was counted in “Other errors”. Its parts would make a separate error."
    : `An earlier version of Faultline put the event into this error with other rules. ${
        hashErrorId === ""
          ? "New events are grouped by these parts."
          : `New events with the same counted parts are in error ${hashErrorId}.`
      }`;
}

function summaryOf(here: Explained, there: Explained, differences: number): string {
  if (here.errorId === there.errorId) return "Both events are in the same error.";
  if (here.hash === there.hash)
    return "By today's rules, both events belong to one error. They were stored in two, by earlier rules or because of a limit.";
  if (differences === 0) return "The same parts count in both events, in a different order.";
  return "The errors are different because these parts count in only one of them.";
}

const kinds: Readonly<Record<GroupingReason["what"], GroupingPartKind>> = {
  fingerprint: GroupingPartKind.FINGERPRINT,
  rule: GroupingPartKind.RULE,
  platform: GroupingPartKind.PLATFORM,
  exception: GroupingPartKind.EXCEPTION,
  type: GroupingPartKind.TYPE,
  frame: GroupingPartKind.FRAME,
  line: GroupingPartKind.LINE,
  value: GroupingPartKind.VALUE,
  message: GroupingPartKind.MESSAGE,
  level: GroupingPartKind.LEVEL,
};

function partOf({ what, text, counted, countedAs, why }: GroupingReason): MessageInitShape<typeof GroupingPartSchema> {
  return { kind: kinds[what], text, counted, countedAs, reason: why };
}
