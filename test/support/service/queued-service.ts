import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { startNats, type Nats } from "../nats/nats.ts";
import { takePostgresql } from "../database/other-process.ts";
import { startPostgresql, withPostgresql, type PostgresqlServer } from "../database/postgresql.ts";
import { startServer, type Server } from "./server.ts";

/** A service of one process, with a queue in front of its database. */
export interface QueuedService {
  readonly nats: Nats;
  readonly postgresql: PostgresqlServer;
  readonly server: Server;
  readonly client: GrpcClient;
  /** Blocks writes to the database until the returned function is called. Reads still work. */
  holdDatabase(): Promise<() => Promise<void>>;
  /** Blocks reads of a table, like a server that hangs, until the returned function is called. */
  hideTable(table: string): Promise<() => Promise<void>>;
  /**
   * Makes the database refuse events with `poison` in their title, like a fault of ours or an unexpected value, until
   * the returned function is called.
   */
  poison(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export async function startQueuedService(): Promise<QueuedService> {
  const [nats, postgresql] = await Promise.all([startNats(), startPostgresql()]);
  const url = await postgresql.createDatabase();
  const server = await startServer({ env: { FAULTLINE_NATS_URL: nats.url, FAULTLINE_DATABASE_URL: url } });
  const client = grpcClient(server);
  const run = (sql: string) => withPostgresql(url, async (connection) => void (await connection.query(sql)));
  return {
    nats,
    postgresql,
    server,
    client,
    holdDatabase: () => takePostgresql(url),
    async hideTable(table) {
      const end = Promise.withResolvers<void>();
      const hidden = Promise.withResolvers<void>();
      const ended = withPostgresql(url, async (connection) => {
        await connection.query("begin");
        await connection.query(`lock table "${table}" in access exclusive mode`);
        hidden.resolve();
        await end.promise;
        await connection.query("rollback");
      });
      await Promise.race([hidden.promise, ended]);
      return () => {
        end.resolve();
        return ended;
      };
    },
    async poison() {
      await run(`create function poison() returns trigger language plpgsql
          as $body$ begin raise exception 'poison is not stored'; end $body$;
        create trigger poison before insert on integrated_event
          for each row when (new.title like '%poison%') execute function poison()`);
      return () => run("drop function poison cascade");
    },
    async stop() {
      client.close();
      await server.stop();
      await Promise.all([nats.stop(), postgresql.stop("immediate")]);
    },
  };
}
