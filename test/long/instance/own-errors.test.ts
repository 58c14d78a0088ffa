// limit: 240 s
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { Backend, ErrorReason, ExternalVersionSource } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Config } from "../../../backend/src/config.ts";
import { startFaultline } from "../../../backend/src/main.ts";
import { errorReceiver, type ReceivedEvent, type Statements } from "../../support/external/error-receiver.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { execSql, rowsOf, takeDatabase } from "../../support/database/other-process.ts";
import { createProject } from "../../support/core/project.ts";
import { readPrometheusText } from "../../support/assert/prometheus-text.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { bound, measuringTest, stopwatch } from "../../support/measure/measured.ts";
import { until } from "../../support/run/until.ts";

const minuteMs = 60_000;

/** Reports are posted to the loopback interface, which the operator has to allow. */
const configFor = ({ dsn }: { dsn: string }, dataDir: string): Config => ({
  ...testConfig(dataDir),
  outbound: { networks: ["127.0.0.0/8"], ports: [Number(new URL(dsn).port)] },
  logLevel: "silent",
});

/** A running service on a clock of the test, and another system that its failures may go to. */
async function withService(
  work: (parts: {
    client: GrpcClient;
    server: { url: string };
    dataDir: string;
    clock: { at: number };
    receiver: Awaited<ReturnType<typeof errorReceiver>>;
    /** Makes the service fail: a table is missing while `failing` runs. */
    broken(failing: () => Promise<unknown>): Promise<void>;
    stop(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const clock = { at: Date.now(), now: () => clock.at };
  const dataDir = tempDir();
  const receiver = await errorReceiver();
  const faultline = await startFaultline(configFor(receiver, dataDir), clock);
  const client = grpcClient(faultline);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= faultline.stop());
  const broken = async (failing: () => Promise<unknown>) => {
    await execSql(dataDir, "alter table member_role rename to hidden");
    await failing().finally(() => execSql(dataDir, "alter table hidden rename to member_role"));
  };
  try {
    await work({ client, server: { url: faultline.httpUrl }, dataDir, clock, receiver, broken, stop });
    assert.equal(receiver.complaints, []);
  } finally {
    client.close();
    await stop();
    await receiver.close();
  }
}

/** A call that answers INTERNAL while the service is broken. */
const fail = ({ memberRoles, auth }: GrpcClient) => rejects(memberRoles.listMemberRoles({}, auth), "INTERNAL");

const stateOf = async ({ instance, auth }: GrpcClient) => {
  const { ownErrorReporting } = await instance.getOwnErrorReporting({}, auth);
  assert.ok(ownErrorReporting);
  return ownErrorReporting;
};

type Exceptions = { values: { type: string; value: string; stacktrace: { frames: unknown[] } }[] };
const exceptionsOf = (event: ReceivedEvent | undefined) =>
  (event?.["exception"] as Exceptions | undefined)?.values ?? [];

test("a failure is reported to another system, without secrets, requests and paths of the machine", () =>
  withService(async ({ client, receiver, broken, dataDir }) => {
    const { dsn } = receiver;
    await client.instance.updateOwnErrorReporting({ dsn, enabled: true, environment: "staging" }, client.auth);
    await broken(() => fail(client));
    const [event] = await until("the report", () => receiver.events.length > 0 && receiver.events);
    assert.is(event?.["environment"], "staging");
    assert.match(String(event?.["release"]), /^\d+\.\d+\.\d+$/);
    assert.is(event?.["level"], "error");
    assert.equal(event?.["tags"], { part: "core", during: "call failed" });
    const [exception] = exceptionsOf(event);
    assert.match(exception?.value ?? "", /no such table: member_role|relation "member_role" does not exist/);
    assert.ok((exception?.stacktrace.frames.length ?? 0) > 0);
    for (const secret of [client.auth.token, receiver.publicKey, dataDir, "select", import.meta.dirname]) {
      assert.not.match(receiver.bodies.join(), secret);
    }
    await until("the count", async () => (await stateOf(client)).reportedCount === 1n);
  }));

test("nothing is reported before it is turned on, and nothing after it is turned off or the DSN is removed", () =>
  withService(async ({ client, receiver, broken, clock }) => {
    const update = (request: Parameters<typeof client.instance.updateOwnErrorReporting>[0]) =>
      client.instance.updateOwnErrorReporting(request, client.auth);
    const failOnce = () => broken(() => fail(client));
    await failOnce();
    await update({ dsn: receiver.dsn });
    await failOnce();
    assert.is(receiver.callCount(), 0);
    await update({ enabled: true });
    await failOnce();
    await until("the report", () => receiver.callCount() === 1);
    clock.at += minuteMs;
    await update({ enabled: false });
    await failOnce();
    await update({ enabled: true });
    const { ownErrorReporting } = await update({ dsn: "" });
    assert.not(ownErrorReporting?.enabled);
    assert.is(ownErrorReporting?.dsn, "");
    await failOnce();
    assert.is(receiver.callCount(), 1);
  }));

test("the same failure is reported once a minute, and what is left out is counted", () =>
  withService(async ({ client, receiver, broken, clock }) => {
    await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
    const failFive = () =>
      broken(async () => {
        for (let n = 0; n < 5; n++) await fail(client);
      });
    await failFive();
    await until("the first report", async () => (await stateOf(client)).reportedCount === 1n);
    assert.is((await stateOf(client)).leftOutCount, 4n);
    clock.at += minuteMs;
    await failFive();
    await until("the second report", async () => (await stateOf(client)).reportedCount === 2n);
    assert.is((await stateOf(client)).leftOutCount, 8n);
    assert.is(receiver.callCount(), 2);
  }));

const badAnswers: [what: string, answer: Parameters<Awaited<ReturnType<typeof errorReceiver>>["answerWith"]>[0]][] = [
  ["refuses", (response) => void response.writeHead(403).end("no")],
  ["sends away", (response) => void response.writeHead(302, { location: "/elsewhere" }).end()],
  ["breaks the connection", (response) => void response.destroy()],
];
for (const [what, answer] of badAnswers) {
  test(`a system that ${what} is asked once, and the failure is counted as left out`, () =>
    withService(async ({ client, receiver, broken }) => {
      await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
      receiver.answerWith(answer);
      await broken(() => fail(client));
      await until("the count", async () => (await stateOf(client)).leftOutCount === 1n);
      assert.is((await stateOf(client)).reportedCount, 0n);
      assert.is(receiver.callCount(), 1);
    }));
}

test("an answer without end is cut, and the failure is counted as left out", () =>
  withService(async ({ client, receiver, broken }) => {
    await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
    let isCut = false;
    receiver.answerWith((response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, "x");
      const timer = setInterval(() => response.write(chunk), 1);
      response.once("close", () => {
        clearInterval(timer);
        isCut = true;
      });
    });
    await broken(() => fail(client));
    await until("the end of the answer", () => isCut);
    await until("the count", async () => (await stateOf(client)).leftOutCount === 1n);
  }));

measuringTest(
  "a system that never answers slows nothing, and the stop does not wait for it longer than two seconds",
  () =>
    withService(async ({ client, receiver, broken, stop }) => {
      await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
      receiver.answerWith(() => undefined);
      const failing = stopwatch();
      await broken(() => fail(client));
      await until("the call", () => receiver.callCount() === 1);
      bound("a failed call, which does not wait for its report", failing(), { atMost: 2_000 });
      client.close();
      const stopping = stopwatch();
      await stop();
      bound("the stop beside a system that never answers", stopping(), { atMost: 4_500 });
    }),
);

test("failures go to a project of this installation without the network", () =>
  withService(async ({ client, server, broken }) => {
    const project = await createProject(server);
    const { ownErrorReporting: state } = await client.instance.updateOwnErrorReporting(
      { projectId: project.id, enabled: true },
      client.auth,
    );
    assert.match(state?.dsn ?? "", /^http:\/\/flck_[0-9a-f]{4}…@127\.0\.0\.1:\d+\/\d+$/);
    await broken(() => fail(client));
    const [error] = await until("the error", async () => {
      const errors = await storedErrors(client, project.id);
      return errors.length > 0 && errors;
    });
    assert.match(error?.title ?? "", /no such table: member_role|relation "member_role" does not exist/);
    const { events } = await client.errors.listEvents(
      { projectId: project.id, errorId: error?.errorId ?? "" },
      client.auth,
    );
    assert.is(events[0]?.environment, "production");
  }));

test("a project without a key gets one, and the first project that takes events is suggested", () =>
  withService(async ({ client, server }) => {
    assert.is((await stateOf(client)).suggestedProjectId, 0);
    const { project: idle } = await client.projects.createProject({ path: "idle" }, client.auth);
    assert.is((await stateOf(client)).suggestedProjectPath, "idle");
    const taking = await createProject(server);
    assert.is((await stateOf(client)).suggestedProjectId, taking.id);
    const projectId = idle?.projectId ?? 0;
    const { ownErrorReporting } = await client.instance.updateOwnErrorReporting({ projectId }, client.auth);
    assert.match(ownErrorReporting?.dsn ?? "", new RegExp(`…@.*/${projectId}$`));
    assert.is((await client.clientKeys.listClientKeys({ projectId }, client.auth)).totalSize, 1);
    await client.instance.updateOwnErrorReporting({ projectId }, client.auth);
    assert.is((await client.clientKeys.listClientKeys({ projectId }, client.auth)).totalSize, 1);
  }));

test("while the database refuses writes and failures go to an own project, attempts are few and the service answers", () =>
  withService(async ({ client, server, dataDir, clock }) => {
    const project = await createProject(server);
    await client.instance.updateOwnErrorReporting({ projectId: project.id, enabled: true }, client.auth);
    const giveBack = await takeDatabase(dataDir);
    const before = await stateOf(client);
    try {
      for (let round = 0; round < 3; round++) {
        const { status } = await sendEvent(server, project, { event_id: newEventId(), message: "refused" });
        assert.is(status, 503);
        assert.is((await http(`${server.url}/-/health`)).status, 200);
        assert.ok(await stateOf(client));
        clock.at += 15_000;
      }
      const after = await stateOf(client);
      const attempts = after.reportedCount + after.leftOutCount - before.reportedCount - before.leftOutCount;
      // In each round the refused event is one failure, and the counts that are stored with events may be another; so is
      // each scheduled task that met the taken database.
      const failures = BigInt(2 * 3 + (await failedTasks(server)));
      assert.ok(attempts >= 1n && attempts <= failures, `${attempts} attempts were made for ${failures} failures`);
    } finally {
      await giveBack();
    }
    await until("events to be stored again", async () => {
      return (await sendEvent(server, project, { event_id: newEventId(), message: "stored" })).status === 200;
    });
  }));

test("an own event that cannot be stored is not reported in turn", () =>
  withService(async ({ client, server, dataDir, broken, clock }) => {
    const project = await createProject(server);
    await client.instance.updateOwnErrorReporting({ projectId: project.id, enabled: true }, client.auth);
    await broken(async () => {
      const giveBack = await takeDatabase(dataDir);
      await fail(client);
      await until("the attempt to fail", async () => (await stateOf(client)).leftOutCount >= 1n);
      await giveBack();
      clock.at += minuteMs;
      await fail(client);
    });
    // Scheduled work that met the taken database may have failed too, and be reported by now.
    const reported = await until("the next failure", async () => {
      const failures = await failuresIn(client, project.id);
      return failures.includes("call failed") && failures.filter((one) => one !== "scheduled work failed");
    });
    assert.equal(reported, ["call failed"]);
  }));

/** How many runs of scheduled tasks failed since the start. */
async function failedTasks({ url }: { url: string }): Promise<number> {
  const { samples } = readPrometheusText((await http(`${url}/-/metrics`)).text).get("faultline_task_runs_total") ?? {};
  return [...(samples ?? [])].reduce((sum, [name, runs]) => sum + (name.includes('"failed"') ? runs : 0), 0);
}

/** The tag `during` of the latest event of each error in a project of own errors. */
async function failuresIn(client: GrpcClient, projectId: number): Promise<(string | undefined)[]> {
  const errors = await storedErrors(client, projectId);
  return Promise.all(
    errors.map(async ({ errorId }) => {
      const [eventId = ""] = await storedEventIds(client, projectId, errorId);
      const { event } = await client.errors.getEvent({ projectId, eventId }, client.auth);
      return event?.tags["during"];
    }),
  );
}

test("versions of another system are judged by the platform's rule", () =>
  withService(async ({ client, receiver }) => {
    const set = (externalVersion: string) =>
      client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, externalVersion }, client.auth);
    for (const old of ["21.4.1", "21.4.2", "10.0.0"]) {
      const refusal = await rejects(set(old), "FAILED_PRECONDITION");
      assert.match(refusal.message, "21.5.0");
      assert.is(refusal.field, "external_version");
    }
    assert.is((await rejects(set("new"), "INVALID_ARGUMENT")).field, "external_version");
    assert.is((await stateOf(client)).dsn, "", "a refused version still set the DSN");
    assert.is((await set("21.5.0")).ownErrorReporting?.externalVersion, "21.5.0");
    assert.is((await set("")).ownErrorReporting?.externalVersion, "");
  }));

/** As Sentry says it at /api/client-config/. */
const sentry = (current: string, more: object = {}) => ({
  config: { version: { current, latest: "25.1.0", build: "abc", upgradeAvailable: true }, isSelfHosted: true, ...more },
  root: { version: "0", auth: null, user: null },
});
const { ASKED, TYPED, UNKNOWN, EXEMPT, UNSPECIFIED } = ExternalVersionSource;

test("the version that the system reports takes precedence over an entered version", () =>
  withService(async ({ client, receiver }) => {
    const set = (externalVersion: string) =>
      client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, externalVersion }, client.auth);
    receiver.say(sentry("21.4.1"));
    const refusal = await rejects(set("24.1.0"), "FAILED_PRECONDITION");
    assert.is(refusal.reason, ErrorReason.EXTERNAL_VERSION_UNSUPPORTED);
    assert.is(refusal.field, "external_version");
    assert.match(refusal.message, "Version 21.4.1 of the external system is not supported");
    assert.match(refusal.message, "It reports this version itself, so 24.1.0 is ignored.");
    assert.is((await rejects(set(""), "FAILED_PRECONDITION")).reason, ErrorReason.EXTERNAL_VERSION_UNSUPPORTED);
    const before = await stateOf(client);
    assert.is(before.dsn, "", "a refused version still set the DSN");
    assert.is(before.externalVersionSource, UNSPECIFIED);

    receiver.say(sentry("24.9.0.dev0+4ab1f2c"));
    const { ownErrorReporting: state } = await set("21.4.1");
    assert.is(state?.askedVersion, "24.9.0");
    assert.is(state?.externalVersion, "21.4.1", "what was typed is kept, and does not count");
    assert.is(state?.externalVersionSource, ASKED);
    assert.is(state?.externalVersionNotice, "");
    assert.equal([...new Set(receiver.asked)].toSorted(), ["/api/0/", "/api/client-config/"]);
  }));

const selfDescriptions: [what: string, says: Statements, source: ExternalVersionSource, version: string][] = [
  ["names its release at /api/0/", { root: { version: "24.1.0" } }, ASKED, "24.1.0"],
  ["names the version of its API alone", { root: { version: "0", auth: null, user: null } }, UNKNOWN, ""],
  ["has no such addresses", {}, UNKNOWN, ""],
  ["says nonsense", { config: { version: { current: "<script>" } }, root: ["24.1.0"] }, UNKNOWN, ""],
  ["is cloud-hosted", sentry("10.0.0", { isSelfHosted: false }), EXEMPT, ""],
  ["is cloud-hosted, in the words of before", { config: { isOnPremise: false } }, EXEMPT, ""],
];

test("the answers of a system decide whether its version is known, unknown or not needed", () =>
  withService(async ({ client, receiver }) => {
    for (const [what, says, source, version] of selfDescriptions) {
      receiver.say(says);
      const { ownErrorReporting: state } = await client.instance.updateOwnErrorReporting(
        { dsn: receiver.dsn },
        client.auth,
      );
      assert.is(state?.externalVersionSource, source, what);
      assert.is(state?.askedVersion, version, what);
      if (source === UNKNOWN) assert.match(state?.externalVersionNotice ?? "", "is unknown");
      else assert.is(state?.externalVersionNotice, "", what);
    }
  }));

test("another Faultline, a project of this installation and Sentry's cloud need no version", () =>
  withService(async ({ client, server, receiver }) => {
    const set = async (fields: Parameters<typeof client.instance.updateOwnErrorReporting>[0]) => {
      const { ownErrorReporting } = await client.instance.updateOwnErrorReporting(fields, client.auth);
      return [ownErrorReporting?.externalVersionSource, ownErrorReporting?.externalVersionNotice];
    };
    const other = await startServer();
    const port = Number(new URL(other.url).port);
    const open = await startFaultline({
      ...configFor(receiver, tempDir()),
      outbound: { networks: ["127.0.0.0/8"], ports: [port] },
    });
    const caller = grpcClient(open);
    const { ownErrorReporting: state } = await caller.instance.updateOwnErrorReporting(
      { dsn: `http://0123456789abcdef0123456789abcdef@127.0.0.1:${port}/1`, externalVersion: "10.0.0" },
      caller.auth,
    );
    caller.close();
    await open.stop();
    await other.stop();
    assert.equal([state?.externalVersionSource, state?.externalVersionNotice], [EXEMPT, ""]);

    const project = await createProject(server);
    assert.equal(await set({ projectId: project.id }), [EXEMPT, ""]);
    assert.equal(await set({ dsn: "https://abcd1234@o17.ingest.us.sentry.io/3" }), [EXEMPT, ""]);
    assert.equal(receiver.asked, []);
  }));

test("an unknown version is shown as such, asks to be typed, and gets no notice before the rule was announced", async () => {
  const receiver = await errorReceiver();
  for (const [platformRelease, notice] of [
    ["16.8", ""],
    ["18.0", "platform release 17.0 and later"],
  ] as const) {
    const faultline = await startFaultline({ ...configFor(receiver, tempDir()), platformRelease });
    const client = grpcClient(faultline);
    const set = async (externalVersion: string) => {
      const fields = { dsn: receiver.dsn, externalVersion, enabled: true };
      return (await client.instance.updateOwnErrorReporting(fields, client.auth)).ownErrorReporting;
    };
    const unknown = await set("");
    assert.is(unknown?.externalVersionSource, UNKNOWN);
    if (notice === "") assert.is(unknown?.externalVersionNotice, "");
    else assert.match(unknown?.externalVersionNotice ?? "", notice);
    const typed = await set("24.1.0");
    assert.is(typed?.externalVersionSource, TYPED);
    assert.is(typed?.externalVersionNotice, "");
    client.close();
    await faultline.stop();
  }
  assert.equal(receiver.complaints, []);
  await receiver.close();
});

test("an upgrade and a downgrade of the system are noticed without a save", () =>
  withService(async ({ client, receiver, broken, clock }) => {
    receiver.say(sentry("24.1.0"));
    await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
    await broken(() => fail(client));
    await until("the report", () => receiver.callCount() === 1);

    receiver.say(sentry("21.4.1"));
    clock.at += 10 * minuteMs;
    await broken(() => fail(client)); // asks before it reports, because the last answer is old
    await until("the count", async () => (await stateOf(client)).leftOutCount === 1n);
    assert.is(receiver.callCount(), 1);
    assert.match(
      (await stateOf(client)).externalVersionNotice,
      "Version 21.4.1 of the external system is not supported",
    );
    const { instance, auth } = client;
    await rejects(instance.updateOwnErrorReporting({ environment: "staging" }, auth), "FAILED_PRECONDITION");
    await instance.updateOwnErrorReporting({ enabled: false }, auth);
    await rejects(instance.updateOwnErrorReporting({ enabled: true }, auth), "FAILED_PRECONDITION");

    receiver.say(sentry("21.5.0"));
    clock.at += minuteMs;
    assert.is((await stateOf(client)).askedVersion, "21.5.0");
    await instance.updateOwnErrorReporting({ enabled: true }, auth);
    await broken(() => fail(client));
    await until("the second report", () => receiver.callCount() === 2);
  }));

test("a system that is down, or hides behind failures, keeps the version that it reported", () =>
  withService(async ({ client, receiver, clock }) => {
    receiver.say(sentry("24.1.0"));
    const { dsn } = receiver;
    await client.instance.updateOwnErrorReporting({ dsn, externalVersion: "21.4.1" }, client.auth);
    for (const answer of [
      (response: ServerResponse) => void response.writeHead(502).end("bad gateway"),
      (response: ServerResponse) => void response.destroy(),
      (response: ServerResponse) => void response.writeHead(200).end("x".repeat(70_000)),
    ]) {
      receiver.say(answer);
      clock.at += minuteMs;
      assert.is((await stateOf(client)).askedVersion, "24.1.0");
    }
    receiver.say({});
    clock.at += minuteMs;
    const state = await stateOf(client);
    assert.is(state.externalVersionSource, TYPED);
    assert.match(state.externalVersionNotice, "not supported");
  }));

measuringTest(
  "a system that never answers, or answers without end, delays saves for less than five seconds and is asked once",
  () =>
    withService(async ({ client, receiver }) => {
      const endless = (response: ServerResponse) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write("x"), 5);
        response.once("close", () => clearInterval(timer));
      };
      receiver.say((response) => void (receiver.asked.length % 2 === 0 && endless(response)));
      const time = stopwatch();
      const saved = await Promise.all(
        Array.from({ length: 5 }, () =>
          client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth),
        ),
      );
      bound("five saves beside a system that never answers", time(), { atMost: 5_000 });
      for (const { ownErrorReporting } of saved) assert.is(ownErrorReporting?.externalVersionSource, UNKNOWN);
      assert.equal(receiver.asked.toSorted(), ["/api/0/", "/api/client-config/"]);
    }),
);

test("a system that sends away is not followed, and its version is unknown", () =>
  withService(async ({ client, receiver }) => {
    receiver.say((response) => void response.writeHead(302, { location: "/prefix/elsewhere" }).end());
    const { dsn } = receiver;
    const { ownErrorReporting } = await client.instance.updateOwnErrorReporting({ dsn }, client.auth);
    assert.is(ownErrorReporting?.externalVersionSource, UNKNOWN);
  }));

test("a version that a later platform release dropped is sent nothing more", async () => {
  const dataDir = tempDir();
  const receiver = await errorReceiver();
  for (const [platformRelease, calls] of [
    ["16.10", 1],
    ["17.0", 1],
  ] as const) {
    const faultline = await startFaultline({ ...configFor(receiver, dataDir), platformRelease });
    const client = grpcClient(faultline);
    if (platformRelease === "16.10") {
      const { ownErrorReporting } = await client.instance.updateOwnErrorReporting(
        { dsn: receiver.dsn, enabled: true, externalVersion: "21.4.1" },
        client.auth,
      );
      assert.match(ownErrorReporting?.externalVersionNotice ?? "", "deprecated");
    } else {
      assert.match((await stateOf(client)).externalVersionNotice, "not supported");
    }
    await execSql(dataDir, "alter table member_role rename to hidden");
    await fail(client);
    await execSql(dataDir, "alter table hidden rename to member_role");
    if (platformRelease === "16.10") await until("the report", () => receiver.callCount() === 1);
    else {
      const off = { enabled: false, externalVersion: "21.4.1" }; // as the page sends it, with the version that is stored
      await client.instance.updateOwnErrorReporting(off, client.auth);
      await client.instance.updateOwnErrorReporting({ dsn: "" }, client.auth);
      assert.is((await stateOf(client)).dsn, "", "a version that is dropped keeps nobody from leaving");
    }
    client.close();
    await faultline.stop();
    assert.is(receiver.callCount(), calls);
  }
  await receiver.close();
});

const refused: [
  what: string,
  request: Parameters<GrpcClient["instance"]["updateOwnErrorReporting"]>[0],
  field: string,
][] = [
  ["a DSN that is none", { dsn: "https://h/1" }, "dsn"],
  ["the project 0", { projectId: 0 }, "project_id"],
  ["a DSN and a project", { dsn: "https://abcd1234@h/1", projectId: 1 }, "project_id"],
  ["reporting without a DSN", { enabled: true }, "enabled"],
  ["reporting while the DSN is removed", { enabled: true, dsn: "" }, "enabled"],
  ["a long environment", { environment: "x".repeat(65) }, "environment"],
  ["an environment with a line break", { environment: "a\nb" }, "environment"],
];

test("settings that cannot work are refused by field, and a project that is not there as such", () =>
  withService(async ({ client }) => {
    for (const [what, request, field] of refused) {
      const call = client.instance.updateOwnErrorReporting(request, client.auth);
      assert.is((await rejects(call, "INVALID_ARGUMENT")).field, field, what);
    }
    await rejects(client.instance.updateOwnErrorReporting({ projectId: 999 }, client.auth), "NOT_FOUND");
    const state = await stateOf(client);
    assert.is(state.dsn, "");
    assert.is(state.environment, "production");
  }));

test("the DSN is read back masked, the mask sent again changes nothing, and the database does not show it", () =>
  withService(async ({ client, receiver, dataDir, broken, stop }) => {
    const { dsn, publicKey } = receiver;
    const { ownErrorReporting: set } = await client.instance.updateOwnErrorReporting({ dsn }, client.auth);
    assert.is(set?.dsn, dsn.replace(publicKey, `${publicKey.slice(0, 4)}…`));
    await client.instance.updateOwnErrorReporting({ dsn: set?.dsn ?? "", enabled: true }, client.auth);
    await broken(() => fail(client));
    await until("the report", () => receiver.events.length === 1);
    await stop();
    const [row] = await rowsOf(dataDir, "select * from own_error_reporting");
    assert.match(String(row?.["dsn"]), /^v1\.1\./);
    assert.not.match(JSON.stringify(row), publicKey);
  }));

test("an address that may not be connected to is named in the log, with the variables that allow it", async () => {
  const receiver = await errorReceiver();
  const server = await startServer();
  const client = grpcClient(server);
  await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
  await execSql(server.dataDir, "alter table member_role rename to hidden");
  await fail(client);
  await until("the count", async () => (await stateOf(client)).leftOutCount === 1n);
  client.close();
  await server.stop();
  assert.match(server.output(), /could not be reported/);
  assert.match(server.output(), /FAULTLINE_OUTBOUND_NETWORKS.*FAULTLINE_OUTBOUND_PORTS/);
  assert.not.match(server.output(), receiver.publicKey);
  assert.is(receiver.callCount(), 0);
  await receiver.close();
});

test("an uncaught error is reported, and the process ends with code 1 as before", async () => {
  const receiver = await errorReceiver();
  const dir = tempDir();
  const breaker = join(dir, "breaker.mjs");
  writeFileSync(
    breaker,
    `process.on("SIGUSR2", () => { Promise.reject(new RangeError("nobody caught fls_secret-of-a-session")); });`,
  );
  const env = {
    NODE_OPTIONS: `--import ${pathToFileURL(breaker).href}`,
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: new URL(receiver.dsn).port,
  };
  const server = await startServer({ env });
  const client = grpcClient(server);
  await client.instance.updateOwnErrorReporting({ dsn: receiver.dsn, enabled: true }, client.auth);
  client.close();
  process.kill(server.pid, "SIGUSR2");
  const [event] = await until("the report", () => receiver.events.length > 0 && receiver.events);
  assert.is(event?.["level"], "fatal");
  assert.is(exceptionsOf(event)[0]?.type, "RangeError");
  assert.not.match(receiver.bodies.join(), "secret-of-a-session");
  const ended = await server.stop().then(String, String);
  assert.match(ended, /ended by itself with 1|^1$/);
  assert.match(server.output(), "RangeError: nobody caught");
  assert.equal(receiver.complaints, []);
  await receiver.close();
});

test("failures of the settings' own project do not stop it from being read: a key that takes no events", () =>
  withService(async ({ client, server, broken }) => {
    const project = await createProject(server);
    await client.instance.updateOwnErrorReporting({ projectId: project.id, enabled: true }, client.auth);
    await client.settings.updateSettings(
      { projectId: project.id, active: false, backend: Backend.INTEGRATED },
      client.auth,
    );
    await broken(() => fail(client));
    await until("the count", async () => (await stateOf(client)).leftOutCount === 1n);
  }));

test.run();
