import { storingPlugins } from "../../../backend/src/built-in.ts";
import { coreMigrations, inOrder } from "../../../backend/src/storage/database/core-migrations.ts";
import { openPostgresql } from "../../../backend/src/storage/database/postgresql/open.ts";
import { migratedDatabase, startPostgresql } from "../database/postgresql.ts";
import { coreEntities } from "../../../backend/src/main.ts";

/**
 * Starts the PostgreSQL of a run of the tests, with a migrated, empty database. Services get copies of it, which takes
 * half as long as migrating each. Returns the environment variables that tell the tests' processes about the server.
 */
export async function startServerOfRun(): Promise<{ TEST_POSTGRESQL: string }> {
  const server = await startPostgresql({ lasts: "process" });
  const plugins = storingPlugins();
  const { postgresql } = inOrder([coreMigrations, ...plugins.flatMap(({ migrations }) => migrations ?? [])]);
  const url = await server.createDatabase(migratedDatabase);
  const migrated = await openPostgresql(
    url,
    [...coreEntities, ...plugins.flatMap(({ entities }) => entities ?? [])],
    postgresql,
  );
  await migrated.close();
  return { TEST_POSTGRESQL: server.url("postgres") };
}
