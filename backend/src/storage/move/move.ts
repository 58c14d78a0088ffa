import {
  StartRefusal,
  type CopiedTable,
  type Entity,
  type Move,
  type MovedTable,
  type Plugin,
  type RowChecksum,
} from "@faultline/plugin";
import { sql } from "kysely";
import { coreMigrations, inOrder } from "../database/core-migrations.ts";
import { postgresqlName } from "../database/postgresql/failure.ts";
import { noteCutOver } from "../database/postgresql/move-mark.ts";
import { noteMovedAway } from "../database/sqlite/moved-away.ts";
import { encryptedColumns } from "../secrets/encrypted-columns.ts";
import { checkTables } from "./columns.ts";
import { copyTables } from "./copy-tables.ts";
import { coreTables, largeCoreTables, otherCoreTables } from "./core-tables.ts";
import { continueIdentities } from "./identities.ts";
import { MoveProgress } from "./progress.ts";
import { rowChecksum } from "./row-checksum.ts";
import { holdSource, openKeys, openSource } from "./source.ts";
import { openTarget } from "./target.ts";

export interface MoveOptions {
  readonly dataDir: string;
  /** The address of PostgreSQL, with the password. */
  readonly to: string;
  /** Whether this is the last run, without a service: afterwards services start on PostgreSQL. */
  readonly isFinal: boolean;
  /** Whether all payloads are compared, or some of them. */
  readonly verify: "sample" | "all";
  readonly progress: (text: string) => void;
}

/** The report of one run of the move. */
export interface MoveReport {
  /** The database, without user and password. */
  readonly to: string;
  readonly seconds: number;
  readonly tables: readonly Omit<CopiedTable, "differences">[];
  /** Sentences; none when all rows equal those of SQLite at the time they were read. */
  readonly differences: readonly string[];
  /** When services were allowed to start on PostgreSQL, ISO 8601; absent: not yet. */
  readonly cutOverTime?: string;
}

/**
 * Copies an installation from SQLite to PostgreSQL and verifies the copy. It only reads the source, a little at a time,
 * so that a service runs beside it; each run brings the changes since the last one. The last run is final: it locks the
 * data directory, so that nothing changes any more, and opens the target for services when everything is equal.
 */
export async function moveToPostgresql(
  options: MoveOptions,
  parts: { readonly coreEntities: readonly Entity[]; readonly plugins: readonly Plugin[] },
): Promise<MoveReport> {
  const { coreEntities, plugins } = parts;
  const { dataDir, to, isFinal, verify } = options;
  const from = performance.now();
  const entities = [...coreEntities, ...plugins.flatMap((plugin) => plugin.entities ?? [])];
  const migrations = inOrder([coreMigrations, ...plugins.flatMap((plugin) => plugin.migrations ?? [])]);
  const movables = plugins.flatMap(({ movable }) => movable ?? []);
  const ofPlugins = movables.flatMap(({ tables }) => tables);
  const atOneMoment = [...coreTables, ...ofPlugins.filter(({ refersToCore }) => refersToCore)];

  await using opened = new AsyncDisposableStack();
  const source = await openSource(dataDir, migrations);
  opened.defer(() => source.destroy());
  if (isFinal) {
    const held = await holdSource(dataDir);
    opened.defer(() => held.release());
  }
  const keyRing = await openKeys(source, { dataDir, columns: encryptedColumns(plugins) });
  const target = await openTarget(to, { entities, migrations, keyRing });
  opened.defer(() => target.close());
  const sides = { source, target: target.kysely };
  await checkTables(sides, {
    tables: [...coreTables, ...largeCoreTables, ...ofPlugins],
    otherTables: {
      sqlite: [...otherCoreTables, ...movables.flatMap(({ otherTables }) => otherTables.sqlite)],
      postgresql: [...otherCoreTables, ...movables.flatMap(({ otherTables }) => otherTables.postgresql)],
    },
  });

  const checksums = new Map<string, Promise<RowChecksum>>();
  const checksumOf = (table: string) => {
    const checksum = checksums.get(table) ?? rowChecksum(target.kysely, table);
    checksums.set(table, checksum);
    return checksum;
  };
  const progress = new MoveProgress(options.progress);
  const move: Move = {
    ...sides,
    verify,
    checksumOf,
    progress: (table, total) => progress.table(table, total),
  };
  const copied: CopiedTable[] = [];
  let isAlone = false;
  await target.database.alone("move", async () => {
    isAlone = true;
    copied.push(...(await source.transaction().execute((at) => copyTables({ ...move, source: at }, atOneMoment))));
    const eachAlone = async (tables: readonly MovedTable[]) => {
      for (const table of tables) copied.push(...(await copyTables(move, [table])));
    };
    await eachAlone(largeCoreTables);
    for (const { copy, tables } of movables) {
      copied.push(...((await copy?.(move)) ?? []));
      await eachAlone(tables.filter(({ refersToCore }) => !refersToCore));
    }
    await continueIdentities(source, target.kysely);
  });
  if (!isAlone) throw new StartRefusal("Another move to this database is running. Wait until it has ended.");

  const differences = copied.flatMap((table) => table.differences);
  const report: MoveReport = {
    to: postgresqlName(to),
    seconds: Math.round((performance.now() - from) / 100) / 10,
    tables: copied.map(({ table, rows, written, deleted, compared }) => {
      return { table, rows, written, deleted, ...(compared !== undefined && { compared }) };
    }),
    differences,
  };
  if (!isFinal || differences.length > 0) return report;
  await sql`analyze`.execute(target.kysely); // otherwise the first queries are planned as for empty tables
  const now = Date.now();
  const cutOverTime = new Date(now).toISOString();
  // In this order: a cut between them leaves no database to start on, and never two.
  noteMovedAway(dataDir, { movedTime: cutOverTime, to: report.to });
  await noteCutOver(target.kysely, now);
  return { ...report, cutOverTime };
}
