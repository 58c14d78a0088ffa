import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField } from "@faultline/plugin";
import { keyNamed, tagsOf } from "@faultline/plugin/search";
import { ErrorStatus, type ListSearchValuesRequest, type ListSearchValuesResponseSchema } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import type { Storage } from "../storage.ts";

/** Distinct values that are counted, in byte order. Each takes a step in the index. */
const examinedValues = 200;

/** Errors of a value that are counted. */
const countedErrors = 200;

const listedValues = 10;

/** The most frequent values of a key, or the names of tags. */
export async function listSearchValues(
  storage: Storage,
  { projectId, key, prefix }: Pick<ListSearchValuesRequest, "projectId" | "key" | "prefix">,
  limits: AbortableQueryOptions,
): Promise<MessageInitShape<typeof ListSearchValuesResponseSchema>> {
  if (key.length > 200) throw invalidField("key", "A key has at most 200 characters.");
  if (prefix.length > 200) throw invalidField("prefix", "A value begins with at most 200 characters.");
  const known = keyNamed(key) ?? key;
  if (known === "type") return { values: await types(storage, { projectId, prefix }, limits) };
  const [tag = known] = known === "firstRelease" ? ["release"] : tagsOf({ key: known, isTag: false });
  const values = await valuesOfTag(storage, { projectId, tag, prefix }, limits);
  const kind = /^user\.(id|email|username|ip)$/.exec(known)?.[1];
  if (kind === undefined || values.length === listedValues) return { values };
  const users = await usersOf(storage, { projectId, kind, prefix }, limits);
  const named = new Set(values.map(({ value }) => value));
  return { values: [...values, ...users.filter(({ value }) => !named.has(value))].slice(0, listedValues) };
}

interface Value {
  readonly value: string;
  readonly errorCount: number;
}

/** The values of a tag, or the names of tags for the empty tag, each found by one step in the index. */
async function valuesOfTag(
  { readExpensively }: Storage,
  { projectId, tag, prefix }: { projectId: number; tag: string; prefix: string },
  limits: AbortableQueryOptions,
): Promise<Value[]> {
  const [column, of] = tag === "" ? [sql`key`, sql``] : [sql`value`, sql`and key = ${tag}`];
  const next = (beyond: RawBuilder<unknown>) => sql`(select min(${column}) from integrated_tag_error
    where project_id = ${projectId} ${of} and ${column} ${beyond} and ${column} < ${`${prefix}\u{10ffff}`})`;
  const counted = sql`(select count(*) from (
    select 1 from integrated_tag_error where project_id = ${projectId} ${of} and ${column} = found.found limit ${countedErrors}
  ) as counted)`;
  const { rows } = await sql<{ value: string; n: number }>`
    with recursive found (found) as (
      select ${next(sql`>= ${prefix}`)} union all
      select ${next(sql`> found.found`)} from found where found.found is not null
    )
    select found as value, ${counted} as n
    from (select found from found where found is not null limit ${examinedValues}) as found
    order by n desc, value limit ${listedValues}`.execute(readExpensively, limits);
  return rows.map(({ value, n }) => ({ value, errorCount: Number(n) }));
}

/** The first users of a kind. Their errors are not counted. */
async function usersOf(
  { readExpensively, dialect }: Storage,
  { projectId, kind, prefix }: { projectId: number; kind: string; prefix: string },
  limits: AbortableQueryOptions,
): Promise<Value[]> {
  const first = `${kind}:${kind === "email" ? prefix.toLowerCase() : prefix}`;
  const { rows } = await sql<{ value: string }>`
    select distinct u.user as value from integrated_user as u ${dialect.joinInOrder} integrated_error as e
      on e.id = u.error_id and e.project_id = ${projectId}${dialect.sameProject("u", "e")}
    where u.user >= ${first} and u.user < ${`${first}\u{10ffff}`} order by u.user limit ${listedValues}`.execute(
    readExpensively,
    limits,
  );
  return rows.map(({ value }) => ({ value: value.slice(kind.length + 1), errorCount: 0 }));
}

/** Types among the newest errors, because no index has them. */
async function types(
  { readExpensively, dialect }: Storage,
  { projectId, prefix }: { projectId: number; prefix: string },
  limits: AbortableQueryOptions,
): Promise<Value[]> {
  const isAsked = prefix === "" ? sql`type <> ''` : dialect.isLike(sql`type`, [prefix, ""]);
  const { rows } = await sql<{ value: string; n: number }>`
    select type as value, count(*) as n from (
      select type from integrated_error where project_id = ${projectId} and status = ${ErrorStatus.UNRESOLVED}
      order by last_seen_at desc limit 1000
    ) as newest where ${isAsked} group by type order by n desc, type limit ${listedValues}`.execute(
    readExpensively,
    limits,
  );
  return rows.map(({ value, n }) => ({ value, errorCount: Math.min(Number(n), countedErrors) }));
}
