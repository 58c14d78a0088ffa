// limit: 300 s
import { execFile, spawn, type ChildProcess, type ExecFileException } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Backend, ErrorStatus, NotificationTrigger, Permission, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Config } from "../../../backend/src/config.ts";
import { move, startFaultline } from "../../../backend/src/main.ts";
import type { MoveOptions, MoveReport } from "../../../backend/src/storage/move/move.ts";
import { answers } from "../../support/database/answers.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { dayMs, hourMs, movableClock, newUser, passTime } from "../../support/service/movable-faultline.ts";
import { addGroupingRows } from "../../support/database/add-grouping-rows.ts";
import { execSql, openCopy, sqliteRows } from "../../support/database/other-process.ts";
import { freshDatabase, withPostgresql } from "../../support/database/postgresql.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { recount, recountPostgresql } from "../../support/database/recount.ts";
import { envelope, newEventId, post, sendEnvelope, sendEvent, type Target } from "../../support/sentry/send.ts";
import { bundle, repositoryRoot, rootToken } from "../../support/service/server.ts";
import { makeSamples } from "../../support/samples/samples.ts";
import { artifactBundle, builtCheckout } from "../../support/source-maps/built.ts";
import { uploadBundle } from "../../support/source-maps/upload.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

const dataDir = tempDir();
const to = await freshDatabase();
const password = new URL(to).password;
/** The base URL is part of DSNs, so they are the same after the move. */
const onSqlite: Config = { ...testConfig(dataDir), databaseUrl: undefined, baseUrl: "http://errors.example.com" };
const onPostgresql: Config = { ...onSqlite, databaseUrl: to };
const clock = movableClock();
const firstDay = clock.at;

interface Running {
  readonly url: string;
  readonly client: GrpcClient;
}

/** Runs the service in the test's own process, at a time; what is due by then is done when it starts. */
async function runAt<Result>(config: Config, time: number, work: (running: Running) => Promise<Result>) {
  if (time > clock.at) await passTime(config, clock, time);
  const faultline = await startFaultline(config, clock);
  const client = grpcClient(faultline);
  try {
    return await work({ url: faultline.httpUrl, client });
  } finally {
    client.close();
    await faultline.stop();
  }
}

const progressLines: string[] = [];
const online: MoveOptions = {
  dataDir,
  to,
  isFinal: false,
  verify: "sample",
  progress: (text) => progressLines.push(text),
};

const of = (report: MoveReport, name: string) => {
  const found = report.tables.find(({ table }) => table === name);
  assert.ok(found, `${name} was not moved`);
  return found;
};

const refusal = (options: Partial<MoveOptions>) =>
  move({ ...online, ...options }).then(
    () => "it was not refused",
    (error: unknown) => String(error),
  );

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const command = [bundle, "move"];
const environment = {
  FAULTLINE_DATA_DIR: dataDir,
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(repositoryRoot, "node_modules/.cache/compiled"),
};

/** Runs the command as a person would. */
function faultlineMove(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...command, ...args],
      { cwd: repositoryRoot, env: environment },
      (error: ExecFileException | null, stdout, stderr) => {
        assert.not.match(stdout + stderr, password);
        resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
      },
    );
  });
}

/** A run of the command that waits for a lock on the target while `work` goes on. */
async function whileItWaits(work: (child: ChildProcess) => Promise<unknown>): Promise<string> {
  return withPostgresql(to, async (holder) => {
    await holder.query("begin");
    await holder.query("lock table integrated_tag in access exclusive mode");
    const child = spawn(process.execPath, [...command, "--to", to], { cwd: repositoryRoot, env: environment });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = new Promise((resolve) => child.once("close", resolve));
    await until(
      "the move waits",
      () =>
        withPostgresql(to, async (client) => {
          const waiting = "select 1 from pg_locks where not granted and relation = 'integrated_tag'::regclass";
          return (await client.query(waiting)).rows.length > 0;
        }),
      { deadlineMs: 60_000, everyMs: 50 },
    );
    await work(child);
    await ended;
    await holder.query("rollback");
    return stderr;
  });
}

async function newProject({ client }: Running, path: string): Promise<Target> {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const id = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

const failing = (n: number) => ({
  event_id: newEventId(),
  exception: { values: [{ type: `Error${n % 7}`, value: `störung ${n} \u0000 \ud83d\ude00` }] },
  timestamp: clock.at / 1000 - n * 60,
  user: n % 3 === 0 ? undefined : { id: `user-${n % 5}`, email: `u${n % 5}@example.com` },
  release: `shop@1.${n % 3}.0`,
  environment: n % 2 === 0 ? "production" : "staging",
  tags: { page: `p${n % 4}` },
  extra: { padding: "x".repeat(n % 10 === 0 ? 40_000 : 500), n },
});

/** Events sent to different entry points, some with a session and feedback. */
async function send(running: Running, project: Target, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const event = failing(n);
    const started = new Date(clock.at - n * hourMs).toISOString();
    const attrs = { release: event.release, environment: event.environment };
    const session = {
      sid: newEventId(),
      did: `u${n % 4}`,
      seq: 1,
      started,
      status: n % 8 ? "exited" : "crashed",
      attrs,
    };
    const counted = { attrs, aggregates: [{ started, exited: 2, errored: 1 }] };
    const beside = [
      ...(n % 4 === 0 ? ([[{ type: "session" }, session]] as const) : []),
      ...(n % 6 === 0 ? ([[{ type: "sessions" }, counted]] as const) : []),
      ...(n % 5 === 0
        ? ([[{ type: "user_report" }, { event_id: event.event_id, name: "Ann", email: "", comments: `${n}` }]] as const)
        : []),
    ];
    const text = envelope(event.event_id, [{ type: "event" }, event], ...beside) // by the clock of the test
      .replace(/"sent_at":"[^"]+"/, `"sent_at":"${new Date(clock.at).toISOString()}"`);
    const gzipped = { "Content-Encoding": "gzip" };
    const { status } =
      n % 3 === 1
        ? await post(running, project, "store", gzipSync(JSON.stringify(event)), gzipped)
        : await sendEnvelope(running, project, text);
    assert.is(status, 200);
    ids.push(event.event_id);
  }
  return ids;
}

/** Rows in all tables of the core, made as people make them. */
async function people(running: Running, projectId: number): Promise<void> {
  const { client } = running;
  const { auth } = client;
  const debugId = randomUUID();
  const upload = { token: rootToken, organization: "acme", projects: ["shop"] };
  const { map, ...built } = await builtCheckout({ debugId });
  const large = map.replace('"sourcesContent":["', `$&${"// ".repeat(30_000)}\\n`); // with an index of its lines
  assert.is((await uploadBundle(running, artifactBundle({ ...built, map: large }, debugId), upload)).state, "ok");
  const { userId } = await newUser(client, { email: "ann@example.com" });
  const permissions = [Permission.UPDATE_ERROR_TRACKING];
  const custom = { name: "Sorter", baseRole: Role.REPORTER, permissions };
  const { memberRole } = await client.memberRoles.createMemberRole(custom, auth);
  const memberRoleId = memberRole?.memberRoleId ?? 0;
  await client.members.addMember({ projectId, userId, role: Role.REPORTER, memberRoleId }, auth);
  await client.members.createInvitation({ projectId, role: Role.GUEST }, auth);
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: onSqlite.rootPassword ?? "" });
  await client.users.createPasswordReset({ userId }, { token: sessionToken });
  await client.instance.updateOwnErrorReporting({ projectId, enabled: false }, auth);
  await client.filters.updateFilters({ projectId, messages: { entries: ["*unwanted*"] } }, auth);
  const [moved] = await storedErrors(client, projectId);
  await makeSamples(client, { projectId, errorId: moved?.errorId ?? "" });
  const release = { projectId, version: "shop@1.4.0" };
  const commits = [{ commitId: "9618566", message: "Vouchers \u{1F39F}", paths: ["src/cart.js"] }];
  await client.releaseRecords.recordCommits({ ...release, commits }, auth);
  await client.releaseRecords.recordDeploy({ ...release, environment: "production" }, auth);
  await notify(running, projectId);
  const discarded = [{ reason: "ratelimit_backoff", category: "error", quantity: 3 }];
  const aside = await newProject(running, "left/aside");
  await discard(running, aside);
  await sendEnvelope(
    running,
    aside,
    envelope(undefined, [{ type: "client_report" }, { timestamp: 1, discarded_events: discarded }]),
  );
  await execSql(
    dataDir,
    `insert into unstored_event (project_id, event_id, title, received_at, reason, content)
      values (${projectId}, '${newEventId()}', 'Odd', ${clock.at}, 'it was odd', x'0a00ff');
    insert into quota values (${projectId}, 5000000, null);
    insert into eviction values (${projectId}, 7, ${clock.at}, ${clock.at});
    insert into error_change_reader values ('extra', ${clock.at});
    insert into error_change (plugin, project_id, error_id, kind, status_before, status)
      values ('extra', ${projectId}, '1', 'created', 0, 1)`,
  );
  await addGroupingRows(dataDir, projectId);
  // The service writes it once a minute.
  const hour = Math.floor(clock.at / hourMs);
  await execSql(dataDir, `insert into event_hour (project_id, hour, event_count) values (${projectId}, ${hour}, 30)`);
}

/** A channel with a rule, and a row of each table of what was sent and what was not. */
async function notify({ client }: Running, projectId: number): Promise<void> {
  const fields = { url: "https://chat.example.com/hooks/secret" };
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "slack", name: "Chat", fields },
    client.auth,
  );
  const channelId = channel?.channelId ?? 0;
  const rule = { name: "New", triggers: [NotificationTrigger.CREATED], channelIds: [channelId] };
  await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  const at = clock.at;
  const id = 1_000_000; // the service has other rows
  await execSql(
    dataDir,
    `insert into notifier_signal values (${id}, ${projectId}, '1', 1, 1, ${at}, ${at}, 'ann', 0, '');
    insert into notifier_delivery values (${id}, ${projectId}, ${channelId}, 'msg_1', '1', 1, '{}', 3, '', 1, ${at}, ${at});
    insert into notifier_attempt values (${id}, ${id}, ${at}, 5, 500, 'no');
    insert into notifier_held values (${id}, ${channelId}, ${id}, '1', 1);
    insert into notifier_reported values (${channelId}, '1', 1, ${at});
    insert into notifier_suppression values (${projectId}, 1, '1', 1, 3, ${at}, 2);
    insert into notifier_person values (1, 0, 'Europe/Berlin', 1320, 420);
    insert into notifier_level values (1, ${projectId}, 1);
    insert into notifier_subscription values (1, ${projectId}, '1', 2);
    insert into notifier_inbox
      values (${id}, 1, ${projectId}, '1', 1, 1, 'ann', 'It broke', '', 'error', '{}', ${at}, ${at}, ${at}, ${at}, null, '');
    insert into notifier_person_budget values (1, ${projectId}, 4, ${at}, null, 10, null)
      on conflict do nothing;
    insert into notifier_person_suppression values (${projectId}, '1', 1, 1, 20, ${at}, 2);
    insert into notifier_unsubscribed values (1, ${projectId}, ${at});
    insert into notifier_mail_count values (1, 1, ${at}, ${projectId});
    insert into notifier_mail_server values (1, ${at}, null, '', 0);
    insert into notifier_poll values (${projectId}, 'quota day', '{}');
    insert into notifier_sample values (${projectId}, '1', ${at}, 5);
    insert into notifier_episode values (1, '1', ${projectId}, ${at}, 9, null, 1);
    insert into integrated_untagged values (1, ${at});
    insert into notifier_met values (1, '1', ${at});
    insert into notifier_milestone values (${projectId}, '1', 0, 0, 10, ${at});
    insert into integrated_level values (1, 'warning', 0);
    insert into integrated_sampled_out values (${projectId}, 1, 20000, 12);
    insert into notifier_release values (${projectId}, 'shop@1', ${at});
    insert into notifier_maintenance values (${projectId}, ${at}, ${at + 1}, 'root');
    insert into notifier_tracker values (1, ${projectId}, 'gitlab', 'Issues', 'sealed', 0, 'key', null, 0, '', ${at}, ${at}, 'root');
    insert into notifier_issue values (1, ${projectId}, '1', 1, 'fl1', '1', 'http://127.0.0.1/1', 2, '', 0, 1, null, ${at}, 'root');
    insert into notifier_issue_change values (1, 1, 'returned', 'fl2', '', '', ${at}, 0, ${at + 1_000 * dayMs});
    insert into notifier_server values ('hooks.example.com:443', 6, ${at})`,
  );
}

/**
 * Ignores the only error of a project in a bulk update, and deletes it so that its next event is discarded. Both can be
 * undone.
 */
async function discard(running: Running, project: Target): Promise<void> {
  const { client } = running;
  const noise = () => sendEvent(running, project, { event_id: newEventId(), message: "noise" });
  await noise();
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  const ignored = { projectId: project.id, newStatus: ErrorStatus.IGNORED, expectedCount: 1 };
  await client.bulkUpdates.createBulkUpdate(ignored, client.auth);
  const target = { case: "errors" as const, value: { errorIds: errors.map(({ errorId }) => errorId) } };
  await client.deletions.createDeletion({ projectId: project.id, target, discard: {} }, client.auth);
  await noise();
  const { discards } = await client.deletions.listDiscards({ projectId: project.id }, client.auth);
  assert.is(discards[0]?.stoppedCount, 1n);
}

const moved = { shop: { id: 0, key: "" }, cart: { id: 0, key: "" } };

test("everything is copied while the service runs, whatever table it is in", async () => {
  await runAt(onSqlite, firstDay, async (running) => {
    moved.shop = await newProject(running, "acme/shop");
    await send(running, moved.shop, 80);
  });
  await runAt(onSqlite, firstDay + 60 * dayMs, async (running) => {
    moved.cart = await newProject(running, "acme/cart");
    await send(running, moved.shop, 30);
    await send(running, moved.cart, 20);
    await people(running, moved.shop.id);

    const { code, stdout, stderr } = await faultlineMove("--to", to);
    assert.is(code, 0, stderr);
    assert.match(stderr, /Run the move again/);
    const report = JSON.parse(stdout) as MoveReport;
    assert.is(report.to, `${new URL(to).pathname.slice(1)} at ${new URL(to).host}`);
    assert.equal(report.differences, []);
    assert.equal(
      report.tables.flatMap(({ table, rows }) => (rows === 0 ? table : [])),
      [],
      "a table without a row shows nothing",
    );
    assert.is(of(report, "integrated_event").written, 131);
    assert.ok((of(report, "integrated_payload").compared ?? 0) > 0);

    const [packed] = await sqliteRows(dataDir, "select count(*) as n from integrated_packed");
    assert.ok(Number(packed?.["n"]) >= 64, "no payload came from a block");
  });
});

test("repeated, it brings what came since, what was renamed, and nothing that is there", () =>
  runAt(onSqlite, clock.at, async (running) => {
    const { projects, auth } = running.client;
    await send(running, moved.shop, 3);
    // Two projects change their names, so that in between one has that which the other has on PostgreSQL.
    for (const [projectId, path] of [
      [moved.shop.id, "acme/other"],
      [moved.cart.id, "acme/shop"],
      [moved.shop.id, "acme/cart"],
    ] as const) {
      await projects.updateProject({ projectId, path }, auth);
    }
    const report = await move(online);
    assert.equal(report.differences, []);
    assert.equal([of(report, "integrated_event").written, of(report, "integrated_event").deleted], [3, 0]);
    await projects.deleteProject({ projectId: moved.cart.id }, auth);
  }));

test("rows that retention and deleted projects removed from SQLite are removed from PostgreSQL", async () => {
  await runAt(onSqlite, firstDay + 95 * dayMs, () => Promise.resolve()); // which ends after retention
  await runAt(onSqlite, clock.at, async () => {
    const left = async () => (await sqliteRows(dataDir, "select count(*) as n from integrated_event"))[0]?.["n"];
    await until("the events of the deleted project to be gone", async () => (await left()) === 33);
    const source = await openCopy(dataDir);
    const report = await move({ ...online, verify: "all" });
    assert.equal(report.differences, []);
    assert.equal([of(report, "integrated_event").written, of(report, "integrated_event").deleted], [0, 101]);
    assert.is(of(report, "integrated_payload").compared, 33);
    assert.equal(await withPostgresql(to, recountPostgresql), recount(source));
  });
});

test("a database that holds anything else is refused in words", async () => {
  const foreign = await freshDatabase();
  await withPostgresql(foreign, (client) => client.query("create table things (id integer)"));
  assert.match(await refusal({ to: foreign }), /tables of another program/);

  const other: Config = { ...testConfig(tempDir()), databaseUrl: await freshDatabase() };
  const installation = await startFaultline(other, clock);
  assert.match(await refusal({ to: other.databaseUrl ?? "" }), /already contains an installation/);
  await installation.stop();
  assert.match(await refusal({ to: other.databaseUrl ?? "" }), /already contains an installation/);

  const elsewhere = tempDir();
  await (await startFaultline({ ...testConfig(elsewhere), databaseUrl: undefined }, clock)).stop();
  assert.match(await refusal({ dataDir: elsewhere }), /from another installation, with another key file/);
  assert.match(await refusal({ dataDir: tempDir() }), /There is no .*faultline\.db to move/);
  const wrong = new URL(to);
  wrong.password = "not-the-password";
  const words = await refusal({ to: wrong.href });
  assert.match(words, /refuses the user or the password in the address to move to/);
  assert.not.match(words, "not-the-password");
});

test("a table or column that the move does not know is refused, on either side", async () => {
  await execSql(dataDir, "create table stranger (id integer); alter table project add column colour text");
  assert.match(await refusal({}), /it does not know stranger in SQLite/);
  await execSql(dataDir, "drop table stranger");
  assert.match(await refusal({}), /it does not know colour in the table project of SQLite/);
  await execSql(dataDir, "alter table project drop column colour");
  await withPostgresql(to, (client) => client.query("create table stranger (id integer)"));
  assert.match(await refusal({}), /it does not know stranger in PostgreSQL/);
  await withPostgresql(to, (client) => client.query("drop table stranger"));
});

test("no service starts on a database that is still being filled", async () => {
  const started = await startFaultline(onPostgresql, clock).then(
    () => "it started",
    (error: unknown) => String(error),
  );
  assert.match(started, /is being filled from SQLite.* faultline move --final/);
});

test("a run that is killed, or loses PostgreSQL, says so and can be repeated; two do not run at the same time", async () => {
  await runAt(onSqlite, clock.at, (running) => send(running, moved.shop, 5));
  await whileItWaits(async (child) => {
    assert.match(await refusal({}), /used by another process of Faultline, such as a move/);
    child.kill("SIGKILL");
  });
  const said = await whileItWaits(() =>
    withPostgresql(to, (client) =>
      client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'faultline'",
      ),
    ),
  );
  assert.match(said, /The move ended early: .*Run the move again/);
  assert.not.match(said, /\n\s+at /);
  const report = await move(online);
  assert.equal(report.differences, []);
  assert.is(of(report, "integrated_event").rows, 38);
});

test("differences on PostgreSQL are corrected, or named if they cannot be", async () => {
  await withPostgresql(to, async (client) => {
    await client.query("update integrated_event set title = 'other' where id = (select min(id) from integrated_event)");
    await client.query("update integrated_payload set content = 'x', encoding = 0, start = 0, length = 1");
    await client.query("delete from integrated_user");
  });
  const repaired = await move(online);
  assert.is(of(repaired, "integrated_event").written, 1, "the event that is another one now");
  assert.equal(
    repaired.differences.filter((line) => !/^integrated_payload: the payload of event \w{32}/.test(line)),
    [],
  );

  await withPostgresql(to, async (client) => {
    await client.query(`create function spoil() returns trigger language plpgsql as
      $$ begin new.comments := new.comments || '!'; return new; end $$`);
    await client.query(
      "create trigger spoil before insert on integrated_feedback for each row execute function spoil()",
    );
  });
  const { code, stdout, stderr } = await faultlineMove("--to", to, "--final");
  assert.is(code, 1);
  const { differences, cutOverTime } = JSON.parse(stdout) as MoveReport;
  assert.ok(
    differences.includes(`integrated_feedback of project ${moved.shop.id}: rows differ from the rows in SQLite`),
  );
  assert.is(differences.filter((line) => /^integrated_payload: the payload of event \w{32} of/.test(line)).length, 20);
  assert.ok(differences.some((line) => /^integrated_payload: \d+ more differ$/.test(line)));
  for (const line of differences) assert.ok(stderr.includes(line), line);
  assert.is(cutOverTime, undefined);
  await withPostgresql(to, (client) => client.query("drop function spoil cascade; delete from integrated_event"));
});

test("the last run wants the service stopped; then all that it acknowledged is answered from PostgreSQL", async () => {
  const { before, sent } = await runAt(onSqlite, clock.at, async (running) => {
    assert.match(await refusal({ isFinal: true }), /The service is running on .*\. Stop it, then run the final move/);
    const ids = await send(running, moved.shop, 4);
    return { before: await answers(running.client), sent: ids };
  });
  const { code, stdout, stderr } = await faultlineMove("--to", to, "--final");
  assert.is(code, 0, stderr);
  assert.match(stderr, /Start the service with FAULTLINE_DATABASE_URL/);
  const report = JSON.parse(stdout) as MoveReport;
  assert.is(of(report, "integrated_payload").compared, 42);
  assert.ok(report.cutOverTime);
  assert.equal(await withPostgresql(to, recountPostgresql), []);
  const source = await openCopy(dataDir);
  assert.is(source.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");

  await runAt(onPostgresql, clock.at, async (running) => {
    const { client } = running;
    assert.equal(await answers(client), before);
    for (const eventId of sent) await client.errors.getEvent({ projectId: moved.shop.id, eventId }, client.auth);

    // Keys work, a repeated event is recognised, and new events get new ids.
    const [newest] = await send(running, moved.shop, 1);
    const answer = await client.errors.getEvent({ projectId: moved.shop.id, eventId: newest ?? "" }, client.auth);
    assert.is(answer.event?.title.startsWith("Error0"), true);
    const again = { event_id: sent[0], message: "again" };
    assert.is((await sendEnvelope(running, moved.shop, envelope(sent[0], [{ type: "event" }, again]))).status, 200);
    const { n: lastProject } =
      source.prepare("select max(seq) as n from sqlite_sequence where name = 'project'").get() ?? {};
    assert.is((await newProject(running, "acme/new")).id, Number(lastProject) + 1);
  });
  assert.equal(await withPostgresql(to, recountPostgresql), []);
});

test("after it neither a start on the old data nor another run does harm", async () => {
  assert.match(await refusal({}), /was finished at .*would be overwritten/);
  assert.match(await refusal({ isFinal: true }), /was finished at .*would be overwritten/);
  assert.ok(existsSync(join(dataDir, "moved-to-postgresql.json")));
  const started = await startFaultline(onSqlite, clock).then(
    () => "it started",
    (error: unknown) => String(error),
  );
  assert.match(started, /was moved to PostgreSQL\. Name that database in FAULTLINE_DATABASE_URL/);
});

test("an address that is none is refused without being shown", async () => {
  const { code, stderr } = await faultlineMove("--to", `mysql://root:${password}@127.0.0.1/x`);
  assert.is(code, 1);
  assert.match(stderr, /--to must look like postgres:/);
  assert.match((await faultlineMove()).stderr, /Name the target/);
  assert.equal(
    progressLines.filter((line) => !/^\w+: [\d,]+ of [\d,]+ rows, \d+ %$/.test(line)),
    [],
  );
});

test.run();
