// limit: 240 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";

const { server, client } = await sharedServer();

type Json = Readonly<Record<string, unknown>>;

function read<Entry>(file: string): readonly (Entry & { readonly name: string; readonly errors: number })[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../../fixtures/grouping", file), "utf8"));
}

/** The number of errors that events make when they are sent in order to a new project. */
async function errorsOf(events: readonly Json[]): Promise<number> {
  const project = await createProject(server);
  for (const event of events) {
    const { status, text } = await sendEvent(server, project, { ...event, event_id: newEventId() });
    assert.is(status, 200, text);
  }
  return (await storedErrors(client, project.id)).length;
}

/** The entries with another number of errors than they should have, by name. */
async function wrong(entries: readonly { name: string; errors: number; events: readonly Json[] }[]) {
  const found: string[] = [];
  for (const { name, errors, events } of entries) {
    const made = await errorsOf(events);
    if (made !== errors) found.push(`${name}: ${made} instead of ${errors}`);
  }
  return found;
}

test("events of one fault are one error, and events of several faults are several, in the form of SDKs", async () => {
  assert.equal(await wrong(read<{ readonly events: readonly Json[] }>("groups.json")), []);
});

test("messages that differ in what varies are one error, all others several", async () => {
  const entries = read<{ readonly messages: readonly string[] }>("messages.json");
  assert.equal(
    await wrong(
      entries.map(({ messages, ...entry }) => ({ ...entry, events: messages.map((message) => ({ message })) })),
    ),
    [],
  );
});

test.run();
