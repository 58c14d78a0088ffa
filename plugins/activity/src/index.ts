import type { Kysely } from "kysely";
import { contractVersion, type Plugin, type ErrorTransition, type HandleErrorTransitions } from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { ErrorService } from "@faultline/proto";
import { activityService, entryOf, rowOf, type Tables } from "./activity-service.ts";
import { PostgresqlActivity0001 } from "./migrations/postgresql-activity-0001.ts";
import { SqliteActivity0001 } from "./migrations/sqlite-activity-0001.ts";
import * as rest from "./rest.ts";

/** The history of each error, with times and people. Entries are kept as long as their error. */
export function activity(): Plugin {
  return {
    name: "activity",
    contract: contractVersion,
    migrations: { sqlite: [SqliteActivity0001], postgresql: [PostgresqlActivity0001] },
    movable: {
      tables: [{ name: "activity_entry", key: ["id"], refersToCore: true }],
      otherTables: { sqlite: [], postgresql: [] },
    },
    errorTransitions: () => takeTransitions,
    services: [activityService],
    calls: [ErrorService.method.getError],
    rest: operationsOf(rest),
  };
}

/** The most entries kept of an error; the oldest are deleted. */
const entriesOfError = 1_000;

/** Writes the entries of transitions, and deletes the entries of erased errors. */
const takeTransitions: HandleErrorTransitions = async (transitions, transaction) => {
  const database = transaction.write<Tables>();
  await addEntries(database, transitions);
  const erased = transitions.filter(({ kind }) => kind === "erased");
  for (const [projectId, errorIds] of byProject(erased)) {
    await database
      .deleteFrom("activity_entry")
      .where("project_id", "=", projectId)
      .where("error_id", "in", errorIds)
      .execute();
  }
};

async function addEntries(database: Kysely<Tables>, transitions: readonly ErrorTransition[]): Promise<void> {
  const made = transitions.flatMap((transition) => {
    const entry = entryOf(transition);
    const { projectId, errorId } = transition;
    return entry ? [{ projectId, errorId, row: { project_id: projectId, error_id: errorId, ...rowOf(entry) } }] : [];
  });
  if (made.length === 0) return;
  // A project may have been deleted meanwhile. Entries reference their project, and one failing entry would block all
  // others.
  const projects = await database
    .selectFrom("project")
    .select("id")
    .where("id", "in", [...byProject(made).keys()])
    .execute();
  const isThere = new Set(projects.map(({ id }) => Number(id)));
  const entries = made.filter(({ projectId }) => isThere.has(projectId));
  if (entries.length === 0) return;
  await database
    .insertInto("activity_entry")
    .values(entries.map(({ row }) => row))
    .execute();
  for (const [projectId, errorIds] of byProject(entries)) await deleteOldest(database, projectId, errorIds);
}

async function deleteOldest(database: Kysely<Tables>, projectId: number, errorIds: readonly string[]): Promise<void> {
  const numbered = database
    .selectFrom("activity_entry")
    .select([
      "id",
      ({ fn }) =>
        fn
          .agg<number>("row_number")
          .over((over) => over.partitionBy("error_id").orderBy("id", "desc"))
          .as("n"),
    ])
    .where("project_id", "=", projectId)
    .where("error_id", "in", errorIds)
    .as("numbered");
  const oldest = database.selectFrom(numbered).select("numbered.id").where("n", ">", entriesOfError);
  await database.deleteFrom("activity_entry").where("id", "in", oldest).execute();
}

/** The ids of errors, by project. */
function byProject(errors: readonly Pick<ErrorTransition, "projectId" | "errorId">[]): ReadonlyMap<number, string[]> {
  const groups = Map.groupBy(errors, ({ projectId }) => projectId);
  return new Map([...groups].map(([projectId, of]) => [projectId, [...new Set(of.map(({ errorId }) => errorId))]]));
}
