import { deflateSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { onlyEvent } from "../support/sentry/robustness.ts";
import { newEventId } from "../support/sentry/send.ts";

const { server, client } = await sharedServer();

/** A packet in raven-go's form. Its JSON is longer than 1,000 bytes, from which on raven-go compresses. */
function packet(projectId: number) {
  return {
    message: "Failed to process runner",
    event_id: newEventId(),
    project: `${projectId}`,
    timestamp: new Date().toISOString().slice(0, 19), // no zone: it means UTC
    level: "error",
    logger: "root",
    platform: "go",
    culprit: "main.run",
    server_name: "runner-1",
    tags: [["builder", "x".repeat(150)]],
    exception: {
      value: "dial tcp: connection refused",
      type: "*net.OpError",
      stacktrace: {
        frames: Array.from({ length: 12 }, (_, n) => ({ filename: "main.go", function: `f${n}`, lineno: n })),
      },
    },
  };
}

for (const version of [4, 5, 6])
  test(`the legacy DSN of the list of client keys takes what raven-go sends with protocol ${version}, with exactly 200`, async () => {
    const project = await createProject(server);
    const { json } = await rest(server, `GET /projects/${project.id}/error_tracking/client_keys`);
    const [listed] = json as { legacy_dsn: string }[]; // rest.test.ts asserts the shape
    const dsn = new URL(listed?.legacy_dsn ?? "");
    assert.match(dsn.password, /^[0-9a-f]{32}$/); // without it the runner says "raven: dsn missing private key"
    const [, prefix = "", id = ""] = /^(.*)\/(\d+)$/.exec(dsn.pathname) ?? [];
    const sent = packet(project.id);
    const auth = `Sentry sentry_version=${version}, sentry_client=raven-go/1.0, sentry_timestamp=1795215516, sentry_key=${dsn.username}, sentry_secret=${dsn.password}`;
    const answer = await http(`${dsn.origin}${prefix}/api/${id}/store/`, {
      method: "POST",
      headers: { "X-Sentry-Auth": auth, "User-Agent": "raven-go/1.0", "Content-Type": "application/octet-stream" },
      body: deflateSync(JSON.stringify(sent)).toString("base64"),
    });
    assert.is(answer.status, 200, answer.text);
    const event = await onlyEvent(client, project);
    assert.is(event.eventId, sent.event_id);
    assert.is(event.title, "*net.OpError: dial tcp: connection refused");
    assert.equal([event.logger, event.culprit, event.tags["builder"]], ["root", "main.run", "x".repeat(150)]);
    assert.is(event.exceptions[0]?.frames.length, 12);
  });

test.run();
