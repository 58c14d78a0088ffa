import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Project } from "../../support/core/project.ts";
import type { Answer } from "../../support/http/raw-socket.ts";
import { ask, storedEvents, testCases, type Conversation } from "../../support/sentry/robustness.ts";
import type { Server } from "../../support/service/server.ts";
import { bound, stopwatch } from "../../support/measure/measured.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/** One item a second per category and key, ten in a burst. */
const env = { FAULTLINE_RATE_LIMIT_KEY: "1" };
const burst = 10;

const started = new Date().toISOString();
const event = { body: '{"message":"limited"}' };
const eventItem = `{"type":"event"}\n${event.body}`;
const session = `{"type":"session"}\n${JSON.stringify({ started, attrs: { release: "limited@1" } })}`;
const envelope = (...items: string[]) => ({ door: "envelope" as const, body: ["{}", ...items].join("\n") });

/** Whole seconds, categories, scope and reason, and no space (section 7.2). */
const limitsHeader = /^x-sentry-rate-limits: [1-9]\d*:error;default:key:rate_limit\r?$/im;
const retryAfter = /^retry-after: [1-9]\d*\r?$/im;

/** Sends events until one is refused; the refusal, and how many were taken. */
async function useUp(server: Server, project: Project): Promise<{ refusal: Answer; taken: number }> {
  for (let taken = 0; taken < 5 * burst; taken++) {
    const answer = await ask(server, project, event);
    if (answer?.status === 429) return { refusal: answer, taken };
    assert.is(answer?.status, 200, answer?.text);
  }
  return assert.unreachable("nothing was refused") as never;
}

/** Cases 112 to 115: what a key may send. */
const conversations: readonly Conversation[] = [
  {
    number: 112,
    // The reference says 429. We say 200 as long as something was stored, for some SDKs count any other status as a loss
    // of all (design/architecture.md, "Where the references differ"); the header has the limit.
    claim: "of a limited event and a session the session is stored, with 200 and not 429, and the header",
    async hold({ server, client, project }) {
      const { taken } = await useUp(server, project);
      const answer = await ask(server, project, envelope(eventItem, session));
      assert.is(answer?.status, 200, answer?.text);
      assert.match(answer?.head ?? "", limitsHeader);
      assert.not.match(answer?.head ?? "", retryAfter); // it would silence all categories
      const { releases } = await client.releases.listReleases({ projectId: project.id }, client.auth);
      assert.equal(
        releases.map(({ sessions }) => sessions?.total),
        [1],
      );
      assert.is((await storedEvents(client, project)).length, taken);
    },
  },
  {
    number: 112,
    claim: "of a limited event alone, and beside items that are never stored, nothing is stored: 429",
    async hold({ server, client, project }) {
      const { taken } = await useUp(server, project);
      for (const request of [envelope(eventItem), envelope(eventItem, '{"type":"transaction"}\n{}')]) {
        const answer = await ask(server, project, request);
        assert.is(answer?.status, 429, answer?.text);
        assert.match(answer?.head ?? "", limitsHeader);
      }
      assert.is((await storedEvents(client, project)).length, taken);
    },
  },
  {
    number: 113,
    claim: "over its limit a key is answered 429 with both headers in the words that all SDKs read",
    async hold({ server, client, project }) {
      const { refusal, taken } = await useUp(server, project);
      assert.ok(taken >= burst, `${taken}`);
      assert.match(refusal.head, limitsHeader);
      assert.match(refusal.head, retryAfter);
      assert.match(refusal.head, /^access-control-allow-origin: \*\r?$/im);
      assert.type((JSON.parse(refusal.text) as { detail?: unknown }).detail, "string");
      assert.is((await storedEvents(client, project)).length, taken);
    },
  },
  {
    number: 114,
    claim: "after the seconds that the answer names events are taken again, and not much earlier",
    async hold({ server, project }) {
      const { refusal } = await useUp(server, project);
      const waitMs = Number(/^retry-after: (\d+)/im.exec(refusal.head)?.[1]) * 1000;
      const time = stopwatch();
      const isTaken = async () => (await ask(server, project, event))?.status === 200;
      await until("an event to be taken", isTaken, { deadlineMs: promised(waitMs), everyMs: 50 });
      bound("room after the seconds that a refusal names", time(), { atMost: waitMs + 1_000 });
    },
  },
  {
    number: 115,
    claim: "the Node SDK 7.38.0 is silent after a 429, and goes on when the time is over",
    async hold({ server, project }) {
      const sdk = spawn(process.execPath, [
        join(import.meta.dirname, "../../support/sentry/limited-sdk.cjs"),
        project.dsn,
      ]);
      const answers = createInterface({ input: sdk.stdout })[Symbol.asyncIterator]();
      const capture = async () => {
        sdk.stdin.write("limited\n");
        return (await answers.next()).value;
      };
      try {
        assert.is(await capture(), "200");
        await useUp(server, project);
        assert.is(await capture(), "429");
        assert.is(await capture(), "silent");
        await until("the SDK to send again", async () => (await capture()) === "200", { everyMs: 100 });
      } finally {
        sdk.kill();
      }
    },
  },
  {
    number: 115,
    claim: "a 200 that nearly uses up the limit names it",
    async hold({ server, client, project }) {
      const sent: (Answer | undefined)[] = [];
      while (!limitsHeader.test(sent.at(-1)?.head ?? "") && sent.length < burst)
        sent.push(await ask(server, project, event));
      assert.is(sent.at(-1)?.status, 200);
      assert.match(sent.at(-1)?.head ?? "", limitsHeader);
      assert.not.match(sent.at(-1)?.head ?? "", retryAfter);
      assert.is((await storedEvents(client, project)).length, sent.length);
    },
  },
];

testCases([], conversations, { env });
test.run();
