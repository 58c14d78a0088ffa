import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/grpc.ts";
import { createProject } from "../support/project.ts";
import { rejects } from "../support/rejects.ts";
import { newEventId, sendEvent } from "../support/send.ts";
import { startServer, type Server, type ServerOptions } from "../support/server.ts";

const running = new Set<Server>();
const clients = new Set<GrpcClient>();
test.after(async () => {
  for (const client of clients) client.close();
  for (const server of running) await server.kill9();
});

async function start(options: ServerOptions): Promise<Server> {
  const server = await startServer(options);
  running.add(server);
  return server;
}

for (const offering of ["self_managed", "dedicated"]) {
  test(`data of a hosted installation, started as ${offering}, takes no more events and still saves settings`, async () => {
    const hosted = await start({});
    const project = await createProject(hosted);
    const event = () => ({ event_id: newEventId(), message: "taken" });
    assert.is((await sendEvent(hosted, project, event())).status, 200);
    assert.is(await hosted.stop(), 0);

    const server = await start({ dataDir: hosted.dataDir, env: { FAULTLINE_OFFERING: offering } });
    const client = grpcClient(server);
    clients.add(client);
    const projectId = project.id;
    const refused = await sendEvent(server, project, event());
    assert.is(refused.status, 403);
    assert.match(refused.text, "The DSN is right, but the integrated backend is not offered here");
    const guess = await sendEvent(server, { ...project, key: `flck_${"f".repeat(32)}` }, event());
    assert.match(guess.text, "The DSN is not accepted: check its key and project.");
    const events = [{ projectId, eventId: newEventId(), payload: Buffer.from("{}") }];
    const report = await rejects(client.ingest.reportEvents({ events }, client.auth), "FAILED_PRECONDITION");
    assert.is(report.reason, ErrorReason.INTEGRATED_NOT_OFFERED);

    const update = (active: boolean) =>
      client.settings.updateSettings({ projectId, active, backend: Backend.INTEGRATED }, client.auth);
    const refusal = await rejects(update(true), "FAILED_PRECONDITION");
    assert.is(refusal.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
    assert.is(refusal.field, "backend");
    const { settings } = await client.settings.getSettings({ projectId }, client.auth);
    assert.ok(settings?.active);
    const { project: read } = await client.projects.getProject(
      { key: { case: "projectId", value: projectId } },
      client.auth,
    );
    assert.not(read?.capabilities?.integratedBackend?.allowed);
    assert.match(read?.capabilities?.integratedBackend?.reason ?? "", "hosted offering only");
    assert.not((await update(false)).settings?.active);
  });
}

test.run();
