import { ErrorStatus } from "@faultline/proto";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import type { MovableFaultline } from "../../support/service/movable-faultline.ts";
import { errors } from "../data.ts";
import type { World } from "../world.ts";

/** The world of the integrated backend: its events came in by the door for SDKs. */
export async function integratedWorld(service: MovableFaultline): Promise<World> {
  const project = await filledProject(service);
  return { kind: "integrated", client: service.client, projectId: project.id, other: await otherProject(service) };
}

/** A project that received the events of data.ts. Its errors have their statuses. */
export async function filledProject(service: MovableFaultline): Promise<Project> {
  const server = serverOf(service);
  const project = await createProject(server);
  for (const { title, status, cameBack, events } of errors) {
    for (const [index, { id, occurredAt, payload }] of events.entries()) {
      if (cameBack && index === events.length - 1) await setStatus(service, project.id, title, ErrorStatus.RESOLVED);
      await sent(sendStore(server, project, { event_id: id, timestamp: occurredAt / 1000, ...payload }));
    }
    if (status === "resolved") await setStatus(service, project.id, title, ErrorStatus.RESOLVED);
    if (status === "ignored") await setStatus(service, project.id, title, ErrorStatus.IGNORED);
  }
  return project;
}

async function setStatus({ client }: MovableFaultline, projectId: number, title: string, status: ErrorStatus) {
  const { errors: listed } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth);
  const errorId = listed.find((error) => error.title === title)?.errorId ?? "";
  await client.errors.updateErrors({ projectId, changes: [{ errorId, status }] }, client.auth);
}

/** Another project with one error. */
export async function otherProject(service: MovableFaultline): Promise<World["other"]> {
  const server = serverOf(service);
  const project = await createProject(server);
  const eventId = newEventId();
  await sent(sendStore(server, project, { event_id: eventId, message: "of another project" }));
  const { client } = service;
  const { errors: found } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  return { projectId: project.id, errorId: found[0]?.errorId ?? "", eventId };
}

async function sent(answer: ReturnType<typeof sendStore>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`an event was answered ${status}: ${text}`);
}

function serverOf({ faultline }: MovableFaultline) {
  return { url: faultline.httpUrl };
}
