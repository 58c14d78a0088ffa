/** `faultline notifications ...`: channels, rules, deliveries and what was not sent, from the command line. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { rootToken } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { gitlabManner } from "../../support/trackers/gitlab.ts";
import { playedTracker } from "../../support/trackers/played-tracker.ts";

const other = await receiver();
const gitlab = await playedTracker(gitlabManner);
const { server } = await runningServer({
  env: {
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: `${other.port},${gitlab.port}`,
  },
});
const project = await createProject(server);

type Line = Readonly<Record<string, unknown>>;

/** Runs a command and returns its lines; fails with what it said unless it ends as expected. */
async function run(...args: readonly string[]): Promise<readonly Line[]> {
  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  const { code, lines, stderr } = await commandHere(
    [args[0] === "trackers" ? [] : "notifications", ...args].flat(),
    env,
  );
  if (code !== 0) throw new Error(stderr);
  return lines;
}

/** The message of a command that must fail. */
async function refusalOf(...args: readonly string[]): Promise<string> {
  const refusal = await run(...args).catch((error: Error) => error.message);
  if (typeof refusal !== "string") throw new Error(`${args.join(" ")} did not fail`);
  return refusal;
}

const address = `${other.url}/hooks/of-the-command-line`;
let channelId = "";

test("a channel is added with its secrets in files, tested, changed and listed without them", async () => {
  assert.ok((await run("kinds")).some(({ kind }) => kind === "webhook"));
  const file = join(tempDir(), "url");
  writeFileSync(file, `${address}\n`);
  const template = `template={"text": "{{headline}}: {{error.title}}"}`;
  const fields = ["--field-file", `url=${file}`, "--field", template];
  const [made] = await run("channels", "add", project.path, "webhook", "Hook", ...fields);
  channelId = String((made?.["channel"] as Line | undefined)?.["id"]);
  assert.match(String(made?.["signing_secret"]), /^whsec_/);
  const [tested] = await run("channels", "test", project.path, channelId);
  assert.equal([tested?.["accepted"], tested?.["http_status"]], [true, 200]);
  assert.match(other.received[0]?.body ?? "", /^\{"text":"Test of this channel: /);
  const [rotated] = await run(
    "channels",
    "update",
    project.path,
    channelId,
    "--name",
    "Our hook",
    "--rotate-signing-key",
  );
  assert.match(String(rotated?.["signing_secret"]), /^whsec_/);
  const listed = await run("channels", "list", project.path);
  assert.equal(
    listed.map(({ name }) => name),
    ["Our hook"],
  );
  assert.not.match(JSON.stringify(listed), "of-the-command-line");
  assert.match(await refusalOf("channels", "add", project.path, "fax", "Fax"), /kind of channel does not exist/);
  assert.match(await refusalOf("channels", "add", project.path, "slack", "Chat", "--field", "url"), /key=value/);
});

test("a rule is added in the words of REST, and what it does not report is listed", async () => {
  const add = (...args: string[]) => ["rules", "add", project.path, ...args];
  const [rule] = await run(
    ...add("Fatal ones", "--trigger", "created,reopened", "--channel", channelId, "--filter", "level:fatal"),
  );
  assert.equal(rule?.["triggers"], ["created", "reopened"]);
  assert.match(
    await refusalOf(...add("Odd", "--trigger", "everything", "--channel", channelId)),
    /triggers does not have a valid value/,
  );
  assert.is((await run("rules", "list", project.path)).length, 1);
  await sendEvent(server, project, { event_id: newEventId(), message: "a small thing", level: "info" });
  const [suppression] = await until("it is counted", async () => {
    const suppressions = await run("suppressions", project.path, "--rule", String(rule?.["id"]));
    return suppressions.length > 0 && suppressions;
  });
  assert.is(suppression?.["reason"], "filtered");
});

test("failed deliveries are listed with their answers, and sent again one by one, or all since a time, also over REST", async () => {
  other.answers({ status: 400, body: "no" });
  const before = new Date(Date.now() - 60_000).toISOString();
  await sendEvent(server, project, { event_id: newEventId(), message: "a large thing", level: "fatal" });
  const failed = () => run("deliveries", project.path, "--state", "failed", "--channel", channelId);
  const isFailed = async () => {
    const found = await failed();
    return found.length === 1 && found;
  };
  const [delivery] = await until("it has failed", isFailed, { deadlineMs: 30_000 });
  assert.equal(
    (delivery?.["attempts"] as Line[] | undefined)?.map(({ http_status, answer }) => [http_status, answer]),
    [[400, "2 bytes"]],
  );
  const count = () => other.received.length;
  for (const replay of [
    () => run("replay", project.path, String(delivery?.["id"])),
    () => run("replay", project.path, "--channel", channelId, "--since", before),
    async () => {
      const body = { channel_id: Number(channelId), since: before };
      const path = `/projects/${project.id}/error_tracking/notification_deliveries/replay` as const;
      const { status, json } = await rest(server, `POST ${path}`, { body });
      assert.is(status, 200);
      return [json];
    },
  ]) {
    const calls = count();
    assert.equal(await replay(), [{ replayed_count: 1 }]);
    await until("it was sent again", () => count() === calls + 1);
    await until("it has failed again", isFailed, { deadlineMs: 30_000 });
  }
  const ids = other.received.slice(1).map(({ headers }) => headers["webhook-id"]);
  assert.is(new Set(ids).size, 1);
  assert.match(await refusalOf("replay", project.path), /Name a delivery, or give --channel and --since/);
  assert.match(await refusalOf("replay", project.path, "--channel", channelId, "--since", "yesterday"), /2026-11-25T/);
});

test("a rule is previewed, disabled and enabled, and one about spikes has its limit", async () => {
  await sendEvent(server, project, { event_id: newEventId(), message: "previewed", level: "fatal" });
  const [preview] = await until("it would have been sent", async () => {
    const previewed = await run("rules", "preview", project.path, "--trigger", "created", "--channel", channelId);
    return Number(previewed[0]?.["message_count"]) > 0 && previewed;
  });
  assert.ok(JSON.stringify(preview?.["notifications"]).includes("previewed"));
  const [{ id: ruleId = "" } = {}] = await run("rules", "list", project.path);
  for (const [word, enabled] of [
    ["disable", false],
    ["enable", true],
  ] as const) {
    const [rule] = await run("rules", word, project.path, String(ruleId));
    assert.equal([rule?.["name"], rule?.["enabled"]], ["Fatal ones", enabled]);
  }
  assert.match(await refusalOf("rules", "disable", project.path, "999"), /no rule 999/);
  const spike = ["--trigger", "spike", "--channel", channelId, "--spike-count", "50", "--spike-of", "users"];
  const [made] = await run("rules", "add", project.path, "Storms", ...spike);
  assert.equal(made?.["spike"], { unit: "users", count: 50, window_minutes: 10 });
  await run("rules", "delete", project.path, String(made?.["id"]));
});

test("a maintenance window is set, shown and ended", async () => {
  const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const maintenance = (...args: string[]) => run("maintenance", ...args);
  await maintenance("set", project.path, "--from", ahead(10), "--until", ahead(20));
  const [window] = await maintenance("show", project.path);
  assert.is(window?.["set_by"], "root");
  await maintenance("end", project.path);
  assert.equal(await maintenance("show", project.path), [{ starts_at: null, ends_at: null, set_by: null }]);
  assert.match(await refusalOf("maintenance", "set", project.path, "--until", "tomorrow"), /--until is invalid/);
});

test("an inbox is read, and what one wants to learn is shown and set", async () => {
  const [{ id: entryId = "", error_id: errorId = "" } = {}] = await until("an entry", async () => {
    const entries = await run("inbox", "list", "--unread", "--limit", "1");
    return entries.length === 1 && entries;
  });
  const [left] = await run("inbox", "read", "--until", String(entryId));
  assert.equal(left, { unread_count: 0, not_found: [] });
  assert.equal(await run("inbox", "list", "--unread"), []);
  assert.match(await refusalOf("inbox", "read"), /Name entries, or give --until/);
  assert.equal(
    await run("preferences", "--mail", "off", "--quiet-hours", "22:30-07:00", "--time-zone", "Europe/Berlin"),
    [{ mail: false, time_zone: "Europe/Berlin", quiet_from: "22:30", quiet_until: "07:00" }],
  );
  assert.equal(await run("preferences", "--quiet-hours", "none"), [
    { mail: false, time_zone: "Europe/Berlin", quiet_from: null, quiet_until: null },
  ]);
  assert.match(await refusalOf("preferences", "--quiet-hours", "night"), /22:00-07:00/);
  const [level] = await run("level", project.path, "mine");
  assert.equal([level?.["level"], level?.["default"]], ["mine", false]);
  assert.is((await run("levels")).find((one) => one["project_id"] === project.id)?.["level"], level?.["level"]);
  const [watched] = await run("subscription", project.path, String(errorId), "watch");
  assert.is(watched?.["subscription"], "watched");
});

test("a tracker is added with its token in a file, and an error gets, loses and takes back its issue", async () => {
  const file = join(tempDir(), "token");
  writeFileSync(file, `${gitlabManner.token}\n`);
  assert.ok((await run("trackers", "kinds")).some(({ kind }) => kind === "gitlab"));
  const fields = ["--field", `url=${gitlab.url}`, "--field", "project=acme/shop", "--field-file", `token=${file}`];
  const [made] = await run("trackers", "add", project.path, "gitlab", "Issues", ...fields);
  assert.match(String(made?.["webhook_secret"]), /^whsec_/);
  const trackerId = String((made?.["tracker"] as Line | undefined)?.["id"]);
  const [{ error_id: errorId = "" } = {}] = await run("inbox", "list", "--limit", "1");
  const issue = (word: string, ...more: string[]) =>
    run("trackers", "issue", word, project.path, String(errorId), ...more);
  assert.is((await issue("show"))[0]?.["issue"], null);
  const [created] = await issue("create", trackerId, "--confidential");
  assert.is(created?.["url"], gitlab.pageOf(1));
  await issue("unlink");
  assert.is((await issue("link", gitlab.pageOf(1)))[0]?.["reference"], created?.["reference"]);
  assert.is(gitlab.creations(), 1);
  const listed = JSON.stringify(await run("trackers", "list", project.path));
  assert.not.match(listed, gitlabManner.token);
  const [renamed] = await run("trackers", "update", project.path, trackerId, "--name", "Our issues");
  assert.is((renamed?.["tracker"] as Line | undefined)?.["name"], "Our issues");
  await run("trackers", "delete", project.path, trackerId);
  assert.equal(await run("trackers", "list", project.path), []);
});

test("a rule and a channel are deleted", async () => {
  const [rule] = await run("rules", "list", project.path);
  await run("rules", "delete", project.path, String(rule?.["id"]));
  assert.equal(await run("rules", "list", project.path), []);
  await run("channels", "delete", project.path, channelId);
  assert.equal(await run("channels", "list", project.path), []);
});

test.run();
