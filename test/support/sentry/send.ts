import { randomUUID } from "node:crypto";
import { http, type HttpAnswer } from "../http/http.ts";
import type { Project } from "../core/project.ts";
import type { Server } from "../service/server.ts";

export type Target = Pick<Project, "id" | "key">;
type Json = Readonly<Record<string, unknown>>;

/** A new event id. */
export const newEventId = () => randomUUID().replaceAll("-", "");

/** The header that authenticates a request. */
export const sentryAuth = (key: string) =>
  `Sentry sentry_version=7, sentry_client=faultline.test/1.0, sentry_key=${key}`;

/** Sends an event to `store`. */
export function sendStore(server: Pick<Server, "url">, project: Target, event: Json): Promise<HttpAnswer> {
  return post(server, project, "store", JSON.stringify(event), { "Content-Type": "application/json" });
}

/** Sends an event in an envelope, like most SDKs. */
export function sendEvent(server: Pick<Server, "url">, project: Target, event: Json): Promise<HttpAnswer> {
  return sendEnvelope(server, project, envelope(event["event_id"], [{ type: "event" }, event]));
}

/** Sends an envelope that is given as text. */
export function sendEnvelope(server: Pick<Server, "url">, project: Target, text: string): Promise<HttpAnswer> {
  return post(server, project, "envelope", text, { "Content-Type": "application/x-sentry-envelope" });
}

/** Writes an envelope: a line for its header, then a line each for the header and the payload of each item. */
export function envelope(eventId: unknown, ...items: readonly (readonly [header: Json, payload: Json])[]): string {
  const lines = [{ event_id: eventId, sent_at: new Date().toISOString() }, ...items.flat()];
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

/** Sends a body to `store` or `envelope`. */
export function post(
  server: Pick<Server, "url">,
  project: Target,
  door: "store" | "envelope",
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  return http(`${server.url}/api/${project.id}/${door}/`, {
    method: "POST",
    headers: { "X-Sentry-Auth": sentryAuth(project.key), "Content-Length": `${Buffer.byteLength(body)}`, ...headers },
    body,
  });
}
