import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { http, type HttpAnswer } from "../http/http.ts";
import type { Project } from "../core/project.ts";
import type { Server } from "../service/server.ts";

const folder = join(import.meta.dirname, "../../fixtures/captures");
const capturedKey = "a1b2c3d4e5f60718293a4b5c6d7e8f90";

/** The program's record of what it meant to report; see fixtures/captures/README.md. */
export interface Expectation {
  readonly kind: "exception" | "message" | "transaction" | "session";
  readonly level?: string;
  readonly message?: string;
  readonly exceptions?: readonly { readonly type: string; readonly value: string; readonly module?: string }[];
  /** Functions on the stack of the exception that was caught last. */
  readonly functions_outermost?: readonly string[];
  readonly user?: Readonly<Record<string, unknown>>;
  readonly tags?: Readonly<Record<string, unknown>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly contexts?: Readonly<Record<string, unknown>>;
  readonly breadcrumbs?: readonly string[];
  readonly release?: string;
  readonly environment?: string;
  readonly server_name?: string;
  readonly transaction?: string;
}

/** A request that a real SDK sent. */
export interface Capture {
  /** Such as `go-0.20.0/01-handled-exception`. */
  readonly name: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly expect: readonly Expectation[];
  /** Ids of the error events in the body, without hyphens. */
  readonly eventIds: readonly string[];
  /** Whether the SDK replaced the user's IP address with `[Filtered]`. */
  readonly hidesIpAddress: boolean;
}

interface CaptureFile {
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly expect: readonly Expectation[];
  readonly payload_facts: {
    readonly items: readonly { readonly item: string; readonly event_id?: string }[];
  };
  readonly differs_from_expect?: readonly string[];
}

/** All captures, in the order of their names. */
export function readCaptures(): Capture[] {
  return globSync("*/*.json", { cwd: folder })
    .toSorted()
    .map((file) => {
      const name = file.replaceAll("\\", "/").slice(0, -".json".length);
      const facts = JSON.parse(readFileSync(join(folder, file), "utf8")) as CaptureFile;
      const events = facts.payload_facts.items.filter(({ item }) => item === "event");
      return {
        name,
        target: facts.target,
        headers: facts.headers,
        body: readFileSync(join(folder, `${name}.body`)),
        expect: facts.expect,
        eventIds: events.map(({ event_id }) => (event_id ?? "").replaceAll("-", "")),
        hidesIpAddress: facts.differs_from_expect?.some((text) => text.includes("[Filtered]")) ?? false,
      };
    });
}

/** Sends a capture to a project: target, headers and body as captured, except for key, project id and host. */
export function replay(server: Pick<Server, "url">, project: Project, capture: Capture): Promise<HttpAnswer> {
  const target = capture.target.replace("/api/42/", `/api/${project.id}/`).replace(capturedKey, project.key);
  const body = withDsnOf(project, capture.body);
  const headers = capture.headers
    .filter(([name]) => !/^(host|connection|content-length)$/i.test(name))
    .flatMap(([name, value]) => [name, value.replace(capturedKey, project.key)]);
  const isChunked = capture.headers.some(([name]) => /^transfer-encoding$/i.test(name));
  return http(server.url + target, {
    method: "POST",
    headers: ["Host", new URL(server.url).host, ...headers, ...(isChunked ? [] : ["Content-Length", `${body.length}`])],
    body,
  });
}

/** The body, with the project's DSN if the SDK wrote its DSN into the envelope header, and otherwise unchanged. */
export function withDsnOf(project: Project, body: Buffer): Buffer {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const text = isGzip ? gunzipSync(body) : body;
  const headerEnd = text.indexOf("\n");
  const header = text.toString("utf8", 0, Math.max(headerEnd, 0));
  const rewritten = header.replace(/"dsn":"[^"]*"/, `"dsn":"${project.dsn}"`);
  if (rewritten === header) return body;
  const bytes = Buffer.concat([Buffer.from(rewritten), text.subarray(headerEnd)]);
  return isGzip ? gzipSync(bytes) : bytes;
}
