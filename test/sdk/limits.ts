import * as assert from "uvu/assert";
import type { Project } from "../support/core/project.ts";
import { sendStore } from "../support/sentry/send.ts";
import type { Server } from "../support/service/server.ts";
import type { Feature, Outcome } from "./feature.ts";
import type { Exchange } from "./recorder.ts";

/** The settings of a server for the programs `limits`: one event a second per key, ten in a burst. */
export const limitedEnv = { FAULTLINE_RATE_LIMIT_KEY: "1" };

/** An event of more than 1 MiB is refused, the next one is stored. */
export const goesOnAfter413: Feature = {
  name: "after a 413 for an event over the limit, the SDK sends the next",
  program: "limits",
  check(outcome) {
    assert.equal(statusesOf(outcome, "too-large"), [413]);
    assert.not.ok(isStored(outcome, "too-large"));
    assert.equal(statusesOf(outcome, "after-413"), [200]);
    assert.ok(isStored(outcome, "after-413"));
  },
};

/** After a 429 the SDK sends nothing for the announced second, and then continues. */
export const waitsAfter429: Feature = {
  name: "after a 429, the SDK pauses for the announced time, then continues",
  program: "limits",
  check(outcome) {
    assert.equal(statusesOf(outcome, "limited-1"), [429]);
    assert.equal([...statusesOf(outcome, "limited-2"), ...statusesOf(outcome, "limited-3")], []);
    assert.equal(statusesOf(outcome, "after-429"), [200]);
    assert.ok(isStored(outcome, "after-429"));
  },
};

/** Another sender that uses up the limit of the key just before the event that shall be refused passes. */
export function otherSender(server: Server, project: Project): (body: string) => Promise<void> {
  return async (body) => {
    if (!isCase("limited-1")({ body })) return;
    for (let sent = 0; sent < 20; sent += 1) {
      const { status } = await sendStore(server, project, { message: "from another sender" });
      if (status === 429) return;
    }
    throw new Error("20 events at once do not reach the limit");
  };
}

function statusesOf({ exchanges }: Outcome, name: string): number[] {
  return exchanges.filter(isCase(name)).map(({ status }) => status);
}

function isStored({ events }: Outcome, name: string): boolean {
  return events.some(({ tags }) => tags["case"] === name);
}

function isCase(name: string): (exchange: Pick<Exchange, "body">) => boolean {
  return ({ body }) => new RegExp(`"case": ?"${name}"`).test(body);
}
