import { StartRefusal, type Entity, type Migrations } from "@faultline/plugin";
import { Kysely } from "kysely";
import { noteKeysDigest } from "../database/keys-digest.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { PostgresqlDialect } from "../database/postgresql/dialect.ts";
import { connectionFailure, postgresqlName } from "../database/postgresql/failure.ts";
import { Mark, noteMove, readMoveMark } from "../database/postgresql/mark.ts";
import { openPostgresql } from "../database/postgresql/open.ts";
import { keysDigestOf } from "../secrets/key-check.ts";
import type { KeyRing } from "../secrets/key-ring.ts";

/** The limit of statements that read or write a whole table. Services end statements after 30 s. */
const statementTimeoutMs = 3_600_000;

/** The database to be filled. */
export interface Target {
  /** The database, opened as by a service. */
  readonly database: OpenDatabase;
  /** The connection for long statements. */
  readonly kysely: Kysely<unknown>;
  close(): Promise<void>;
}

/**
 * Opens the PostgreSQL database and creates its tables, like the start of a service. Refuses a database with any
 * content that was not written by an earlier run of the move from this installation.
 */
export async function openTarget(
  url: string,
  { entities, migrations, keyRing }: { entities: readonly Entity[]; migrations: Migrations; keyRing: KeyRing },
): Promise<Target> {
  const name = postgresqlName(url);
  const kysely = new Kysely<unknown>({ dialect: new PostgresqlDialect(url, { statementTimeoutMs }) });
  await using opened = new AsyncDisposableStack();
  opened.defer(() => kysely.destroy());
  try {
    await claim(kysely, name);
    const database = await openPostgresql(url, entities, migrations.postgresql);
    opened.defer(() => database.close());
    if (!(await noteKeysDigest(kysely, keysDigestOf(keyRing)))) {
      throw new StartRefusal(
        `The PostgreSQL database ${name} is being filled from another installation, with another key file. Name an empty database.`,
      );
    }
    if ((await database.otherProcesses()) > 0) {
      throw new StartRefusal(
        `The PostgreSQL database ${name} is used by another process of Faultline, such as a move that is still running. Wait until it has ended, or stop it.`,
      );
    }
    const kept = opened.move();
    return { database, kysely, close: () => kept.disposeAsync() };
  } catch (error) {
    const refusal = error instanceof StartRefusal ? error : connectionFailure(name, error);
    // The sentences are the same as at a start.
    throw new StartRefusal(refusal.message.replaceAll("FAULTLINE_DATABASE_URL", "the address to move to"), error);
  }
}

/** Claims an empty database, or a database that a move has claimed before and that nobody uses yet. */
async function claim(kysely: Kysely<unknown>, name: string): Promise<void> {
  const mark = new Mark(kysely, name);
  await mark.check();
  const earlier = await readMoveMark(kysely);
  if (!earlier && (await mark.holdsTables())) {
    throw new StartRefusal(
      `The PostgreSQL database ${name} already contains an installation, which a move would overwrite. Name an empty database.`,
    );
  }
  if (earlier && earlier.cutOverAt !== null) {
    const time = new Date(earlier.cutOverAt).toISOString();
    throw new StartRefusal(
      `The move to the PostgreSQL database ${name} was finished at ${time}, and data stored in it since would be overwritten. Start the service with FAULTLINE_DATABASE_URL, or move to an empty database.`,
    );
  }
  await mark.make();
  await noteMove(kysely);
}
