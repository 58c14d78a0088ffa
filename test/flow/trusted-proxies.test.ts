import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/service/flow.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { http } from "../support/http/http.ts";
import { createProject } from "../support/core/project.ts";
import { onlyEvent } from "../support/sentry/robustness.ts";
import { sentryAuth } from "../support/sentry/send.ts";
import { startServer } from "../support/service/server.ts";

const { server, client } = await runningServer({ env: { FAULTLINE_TRUSTED_PROXIES: "127.0.0.0/8" } });

/** Sends an event of a user by address, through a proxy that names the address. */
async function sendThroughProxy(url: string, { id, key }: { id: number; key: string }): Promise<number> {
  const answer = await http(`${url}/api/${id}/store/`, {
    method: "POST",
    headers: { "X-Sentry-Auth": sentryAuth(key), "X-Forwarded-For": "198.51.100.7" },
    body: JSON.stringify({ message: "through a proxy", user: { ip_address: "{{auto}}" } }),
  });
  return answer.status;
}

test("behind a trusted proxy the user is the proxy's client", async () => {
  const project = await createProject(server);
  assert.is(await sendThroughProxy(server.url, project), 200);
  assert.is((await onlyEvent(client, project)).user?.ipAddress, "198.51.100.7");
});

test("a refusal is reported with the address of the proxy's client", async () => {
  const project = await createProject(server);
  assert.is(await sendThroughProxy(server.url, { id: project.id, key: "f".repeat(32) }), 403);
  for await (const { refusals } of client.outcomes.watchRefusals({ projectId: project.id }, client.auth)) {
    assert.is(refusals[0]?.ipAddress, "198.51.100.7");
    break;
  }
});

test("without that setting nobody's header is believed, and a proxy on this machine is missed in one line of the log", async () => {
  const plain = await startServer();
  const reader = grpcClient(plain);
  try {
    const project = await createProject(plain);
    assert.is(await sendThroughProxy(plain.url, project), 200);
    assert.is((await onlyEvent(reader, project)).user?.ipAddress, "127.0.0.1");
    assert.is(await sendThroughProxy(plain.url, project), 200);
    const warnings = plain
      .output()
      .match(/a request from this machine has X-Forwarded-For.*FAULTLINE_TRUSTED_PROXIES/g);
    assert.is(warnings?.length, 1);
    assert.not.match(server.output(), "a request from this machine has X-Forwarded-For");
  } finally {
    reader.close();
    await plain.stop();
  }
});

test.run();
