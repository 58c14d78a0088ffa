import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { startNats, type Nats } from "../nats/nats.ts";
import { takePostgresql } from "../database/other-process.ts";
import { startPostgresql, withPostgresql, type PostgresqlServer } from "../database/postgresql.ts";
import { startServer, type Server } from "./server.ts";

/** A service of one process, with a queue before its database. */
export interface QueuedService {
  readonly nats: Nats;
  readonly postgresql: PostgresqlServer;
  readonly server: Server;
  readonly client: GrpcClient;
  /** Keeps everybody from writing to the database until the returned function is called; all can read. */
  holdDatabase(): Promise<() => Promise<void>>;
  /** Keeps everybody from reading a table, as a server that hangs, until the returned function is called. */
  hideTable(table: string): Promise<() => Promise<void>>;
  /**
   * Makes the database refuse events whose title says `poison`, as a fault of ours or a value nobody thought of would, until
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
