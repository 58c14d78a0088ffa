import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { bytesOf } from "../../support/http/raw-request.ts";
import { execSql } from "../../support/database/other-process.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { Answers, flood } from "../flood.ts";

const errorCount = 4_000;
const leavesAfterMs = 20;

/** Makes 4,000 errors with texts of one letter in a second, like `faultline import`. */
async function fillErrors({ url, dataDir, project }: Field): Promise<void> {
  await sendEvent({ url }, project, { event_id: newEventId(), message: "a".repeat(8_000) });
  const hash = databaseOf(dataDir) === undefined ? "randomblob(16)" : "uuid_send(gen_random_uuid())";
  const columns = `grouping_version, title, type, value, culprit, level, platform, status, event_count, user_count,
    first_seen_at, last_seen_at, first_release, last_release`;
  await execSql(
    dataDir,
    `insert into integrated_error (project_id, group_hash, ${columns})
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${errorCount})
     select project_id, ${hash}, ${columns} from integrated_error, n where project_id = ${project.id}`,
  );
}

/** 40 searches each half second. Their callers leave immediately. */
async function abandon({ url, seconds, project, token }: Field): Promise<Tally> {
  const answers = new Answers();
  const stopAt = performance.now() + seconds * 1000;
  const query = `%22${"a".repeat(190)}zq%22`;
  const path = `/api/v4/projects/${project.id}/error_tracking/errors?query=${query}`;
  while (performance.now() < stopAt) {
    for (let n = 0; n < 40; n++) {
      const sent = request(url + path, { headers: { "PRIVATE-TOKEN": token }, agent: false });
      const leaving = setTimeout(() => sent.destroy(), leavesAfterMs);
      sent.on("response", (response) => {
        clearTimeout(leaving);
        answers.add(response.statusCode ?? 0);
        response.resume();
      });
      sent.on("error", () => answers.add("left"));
      sent.end();
    }
    await delay(500);
  }
  return answers.tally();
}

/** 100 items of 100 users each, 40 times; then eight concurrent lists of releases, again and again. */
async function bombReleases(field: Field): Promise<Tally> {
  const started = new Date().toISOString();
  const envelope = () => {
    const items = Array.from({ length: 100 }, () => {
      const aggregates = Array.from({ length: 100 }, () => ({ started, did: newEventId(), exited: 1 }));
      return `{"type":"sessions"}\n${JSON.stringify({ attrs: { release: "shop@1" }, aggregates })}`;
    });
    return bytesOf(field.project, { door: "envelope", body: ["{}", ...items].join("\n") });
  };
  const bombs = await flood({ ...field, seconds: field.seconds / 2 }, { connections: 4, count: 40, next: envelope });
  const read = Buffer.from(
    `GET /api/v4/projects/${field.project.id}/error_tracking/releases HTTP/1.1\r\nHost: faultline.test\r\nPRIVATE-TOKEN: ${field.token}\r\n\r\n`,
  );
  const lists = await flood(
    { ...field, seconds: field.seconds / 2 },
    { connections: 8, everyMs: 20, next: () => read },
  );
  const named = (what: string, { answers }: Tally) =>
    Object.entries(answers).map(([status, count]) => [`${what} ${status}`, count] as const);
  return { answers: Object.fromEntries([...named("sent:", bombs), ...named("read:", lists)]), faults: [] };
}

export const reads: readonly Attack[] = [
  {
    name: "H3 40 searches at once that are abandoned, over 4,000 errors of one letter",
    async arm(field) {
      await fillErrors(field);
      return () => abandon(field);
    },
  },
  {
    name: "H4 400,000 users of a release, and eight lists of releases at once",
    arm: (field) => () => bombReleases(field),
  },
];
