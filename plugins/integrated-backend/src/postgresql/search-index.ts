import type { ErrorStatus } from "@faultline/proto";
import { sql, type RawBuilder } from "kysely";
import { asciiSmall, isTag, pieceOfStatus, textOf } from "../search/tokens.ts";
import type { SearchToken, Piece, Pieces, Found, Search } from "../storage.ts";
import { storable } from "../event/storable-json.ts";

const keys = sql`integrated_search_keys(project_id, message, culprit, type, level, status)`;

/**
 * Pieces in a larger fraction of errors are compared row by row, because looking them up in the index took 1 to 2 ms
 * more.
 */
const commonShare = 0.4;

const dueErrors = (projectId: number) =>
  sql`select error_id from integrated_search_due where project_id = ${projectId}`;

const due = (projectId: number, condition = sql``) =>
  sql`(select * from integrated_error
    where project_id = ${projectId} and id = any (array(${dueErrors(projectId)})) ${condition})`;

/** See SqlDialect.errorsWith. Checks `among` first, because a hashed list costs less than a text. */
export function errorsWith(search: Search, among?: RawBuilder<unknown>): Found {
  const { projectId, tokens } = search;
  const isAmong = among === undefined ? sql`true` : sql`(error_id in (${among})) is true`;
  const indexed = sql`from integrated_search
    where ${hasPieces(search)} and ${isAmong} and ${meetsAll(search)} and error_id not in (${dueErrors(projectId)})`;
  const matchingDue = search.matching(due(projectId));
  return {
    ids: sql`select error_id ${indexed} union all ${matchingDue}`,
    statuses: sql`select error_id, status ${indexed}
      union all select id, status from integrated_error where project_id = ${projectId} and id = any (array(${matchingDue}))`,
    met: tokens.filter((token) => !isTag(token)),
  };
}

/**
 * See SqlDialect.idsOfStatus. The rows of due errors are read, because their index entries may be outdated. Without
 * pieces the table is read in its own order: listing the errors of a status first took 5 ms more.
 */
export function idsOfStatus(search: Search, status: ErrorStatus, share: number): RawBuilder<unknown> {
  const { projectId } = search;
  const also = share < commonShare && search.pieces.length > 0 ? [pieceOfStatus(status)] : [];
  return sql`
    select error_id as id from integrated_search
    where ${hasPieces(search, also)} and status = ${status} and ${meetsAll(search)}
      and error_id not in (${dueErrors(projectId)}) and ${hasTags(search)}
    union all ${search.matching(due(projectId, sql`and status = ${status}`))}`;
}

/**
 * The condition that an indexed error has certain pieces. The planner chooses the index by the cost of its function.
 */
function hasPieces({ projectId, pieces }: { projectId: number; pieces: Pieces }, also: readonly Piece[] = []) {
  const hasAll = (some: readonly Piece[]) =>
    sql`${keys} @> integrated_piece_keys(${projectId}, ${some.map(storable)}::text[])`;
  const [alone, several] = [pieces.filter((forms) => forms.length === 1), pieces.filter((forms) => forms.length > 1)];
  const ofAll = [...alone.flat(2), ...also];
  const terms = several.map((forms) => anyOf(forms.map(hasAll)));
  if (ofAll.length > 0) return allOf([hasAll(ofAll), ...terms]);
  return terms.length > 0 ? allOf(terms) : sql`project_id = ${projectId}`;
}

/**
 * The condition that an indexed error matches the words on its columns. The longest texts come first, because fewer
 * errors have them.
 */
function meetsAll({ tokens }: Search): RawBuilder<unknown> {
  return allOf([sql`true`, ...tokens.toSorted((a, b) => textOf(b).length - textOf(a).length).map(meets)]);
}

function meets(token: SearchToken): RawBuilder<unknown> {
  switch (token.of) {
    case "level":
      return sql`level = ${token.value}`;
    case "type":
      return sql`lower(type) = ${asciiSmall(storable(token.value))}`;
    case "message":
      return anyOf(token.forms.map((form) => contains("message", form)));
    case "text":
      return anyOf(["message", "culprit"].flatMap((column) => token.forms.map((form) => contains(column, form))));
    case "tag":
      return sql`true`;
  }
}

const contains = (column: string, form: string) =>
  sql`position(${asciiSmall(storable(form))} in ${sql.ref(column)}) > 0`;

/**
 * The condition that an error has the tags, checked row by row: a query for some errors needs no list of all with the
 * tag.
 */
function hasTags({ tokens }: Search): RawBuilder<unknown> {
  const tags = tokens.filter(isTag).map(
    ({ key, value }) => sql`(
      select true from integrated_tag_error as tag
      where tag.project_id = integrated_search.project_id and tag.key = ${key} and tag.value = ${value}
        and tag.error_id = integrated_search.error_id)`,
  );
  return allOf([sql`true`, ...tags]);
}

const allOf = (terms: readonly RawBuilder<unknown>[]) => sql`(${sql.join(terms, sql` and `)})`;
const anyOf = (terms: readonly RawBuilder<unknown>[]) => sql`(${sql.join(terms, sql` or `)})`;
