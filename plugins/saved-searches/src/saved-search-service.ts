import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, serve, ServiceError, type AdmittedCall, type Database, readSearch } from "@faultline/plugin";
import {
  ErrorReason,
  Permission,
  SavedSearchService,
  ErrorSort,
  ErrorSortSchema,
  ErrorStatusSchema,
  type ErrorStatus,
  type SavedSearchSchema,
} from "@faultline/proto";
import { sql, type Kysely, type Transaction, type Generated, type Selectable } from "kysely";

const longestName = 80;

/** The fields of a search that people can set. */
type Fields = Pick<SavedSearchRow, "name" | "query" | "status" | "sort">;

/** The columns of the given fields. Refuses the first invalid field with INVALID_FIELD. */
function checkedFields({ name, query, status, sort }: Partial<Fields>): Partial<Fields> {
  return {
    ...(name !== undefined && { name: checkedName(name.trim()) }),
    ...(query !== undefined && { query: checkedQuery(query.trim()) }),
    ...(status !== undefined && { status: checkedStatus(status) }),
    ...(sort !== undefined && { sort: checkedSort(sort) }),
  };
}

function checkedName(name: string): string {
  if (name === "" || name.length > longestName || /\p{Cc}/u.test(name)) {
    throw invalidField("name", `Give the search a name of 1 to ${longestName} characters.`);
  }
  return name;
}

function checkedQuery(query: string): string {
  readSearch(query);
  return query;
}

function checkedStatus(status: ErrorStatus): ErrorStatus {
  if (ErrorStatusSchema.value[status]) return status;
  throw invalidField("status", "This status does not exist.");
}

function checkedSort(sort: ErrorSort): ErrorSort {
  if (sort === ErrorSort.UNSPECIFIED) return ErrorSort.LAST_SEEN;
  if (ErrorSortSchema.value[sort]) return sort;
  throw invalidField("sort", "This order does not exist.");
}

/** The tables of the migrations, for Kysely. */
interface Tables {
  saved_search: SavedSearchTable;
}

interface SavedSearchTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  /** Null if the search belongs to the project. */
  readonly user_id: number | null;
  /** Orders the list; gaps have no meaning. */
  readonly position: number;
  readonly name: string;
  readonly query: string;
  readonly status: ErrorStatus;
  readonly sort: ErrorSort;
}

type SavedSearchRow = Selectable<SavedSearchTable>;

const savedSearchToProto = (row: SavedSearchRow): MessageInitShape<typeof SavedSearchSchema> => ({
  savedSearchId: row.id,
  projectId: row.project_id,
  name: row.name,
  query: row.query,
  status: row.status,
  sort: row.sort,
  shared: row.user_id === null,
});

/** The most searches of a person in a project, and of a project. */
const mostInList = 50;

/** The saved searches of projects and of the people in them. */
export const savedSearchService = serve(SavedSearchService, ({ database }) => ({
  async listSavedSearches(_, { caller, grant }) {
    const [own, shared] = await Promise.all(
      [caller.user.id, null].map((user_id) => listOf(database.read(), { project_id: grant.project.id, user_id })),
    );
    return { savedSearches: [...(own ?? []), ...(shared ?? [])].map(savedSearchToProto) };
  },

  async createSavedSearch({ name, query, status, sort, shared }, call) {
    if (shared) checkMayShare(call);
    const fields = checkedFields({ name, query, status, sort }) as Fields; // all fields are required here
    const owner = { project_id: call.grant.project.id, user_id: shared ? null : call.caller.user.id };
    const row = await change(database, async (transaction) => {
      const list = await listOf(transaction, owner);
      if (list.length >= mostInList) throw listIsFull();
      refuseTaken(list, fields.name);
      const position = (list.at(-1)?.position ?? -1) + 1;
      const values = { ...owner, ...fields, position };
      return transaction.insertInto("saved_search").values(values).returningAll().executeTakeFirstOrThrow();
    });
    return { savedSearch: savedSearchToProto(row) };
  },

  async updateSavedSearch(request, call) {
    const { name, query, status, sort, position } = request;
    const changes = checkedFields({
      ...(name !== undefined && { name }),
      ...(query !== undefined && { query }),
      ...(status !== undefined && { status }),
      ...(sort !== undefined && { sort }),
    });
    const row = await change(database, async (transaction) => {
      const stored = await changeable(transaction, request.savedSearchId, call);
      const changed = { ...stored, ...changes };
      const others = (await listOf(transaction, stored)).filter(({ id }) => id !== stored.id);
      refuseTaken(others, changed.name);
      const fields = { name: changed.name, query: changed.query, status: changed.status, sort: changed.sort };
      await transaction.updateTable("saved_search").set(fields).where("id", "=", stored.id).execute();
      if (position !== undefined) await reorder(transaction, others.toSpliced(position, 0, stored));
      return changed;
    });
    return { savedSearch: savedSearchToProto(row) };
  },

  async deleteSavedSearch({ savedSearchId }, call) {
    const row = await change(database, async (transaction) => {
      const stored = await changeable(transaction, savedSearchId, call);
      await transaction.deleteFrom("saved_search").where("id", "=", stored.id).execute();
      return stored;
    });
    return { savedSearch: savedSearchToProto(row) };
  },
}));

/** Runs changes one after another, so that no change adds to a list, or takes a name, that another has just read. */
function change<T>(database: Database, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  return database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      if (database.kind === "postgresql") {
        await sql`lock table saved_search in share row exclusive mode`.execute(transaction);
      }
      return work(transaction);
    });
}

/** The searches of a person in a project, or of the project, in order. */
function listOf(
  tables: Kysely<Tables>,
  { project_id, user_id }: Pick<SavedSearchRow, "project_id" | "user_id">,
): Promise<SavedSearchRow[]> {
  return tables
    .selectFrom("saved_search")
    .selectAll()
    .where("project_id", "=", project_id)
    .where("user_id", user_id === null ? "is" : "=", user_id)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

/** A search that the caller may change. Another person's search looks like a missing search. */
async function changeable(tables: Kysely<Tables>, id: number, call: AdmittedCall): Promise<SavedSearchRow> {
  const row = await tables
    .selectFrom("saved_search")
    .selectAll()
    .where("id", "=", id)
    .where("project_id", "=", call.grant.project.id)
    .executeTakeFirst();
  if (!row || (row.user_id !== null && row.user_id !== call.caller.user.id)) {
    throw new ServiceError(
      ErrorReason.SAVED_SEARCH_NOT_FOUND,
      "This saved search does not exist in this project. It may have been deleted.",
    );
  }
  if (row.user_id === null) checkMayShare(call);
  return row;
}

async function reorder(tables: Kysely<Tables>, list: readonly SavedSearchRow[]): Promise<void> {
  for (const [position, row] of list.entries()) {
    if (row.position === position) continue;
    await tables.updateTable("saved_search").set({ position }).where("id", "=", row.id).execute();
  }
}

function checkMayShare({ grant: { permissions, project } }: AdmittedCall): void {
  if (permissions.has(Permission.ADMIN_ERROR_TRACKING)) return;
  throw new ServiceError(
    ErrorReason.FORBIDDEN,
    `Only maintainers can change the shared searches of ${project.path}. You can save your own searches.`,
  );
}

function refuseTaken(list: readonly SavedSearchRow[], name: string): void {
  if (list.every((other) => other.name.toLowerCase() !== name.toLowerCase())) return;
  throw invalidField("name", `Another saved search has the name ${name}. Choose another name.`);
}

const listIsFull = () =>
  new ServiceError(ErrorReason.LIMIT_REACHED, `A list has at most ${mostInList} saved searches. Delete one first.`);
