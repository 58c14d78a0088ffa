import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { atEndOf } from "../run/end-of-file.ts";

/** An issue of a played tracker. */
export interface PlayedIssue {
  readonly number: number;
  readonly title: string;
  /** The body as it was sent: Markdown, or the JSON of a document. */
  readonly body: string;
  readonly createdAt: string;
  readonly confidential: boolean;
  isOpen: boolean;
  readonly comments: string[];
}

/** A request to a tracker's API with valid credentials. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The behaviour of a kind of tracker. */
export interface Manner {
  readonly kind: string;
  readonly token: string;
  /** The fields of the settings for a tracker at this address. */
  fields(url: string): Record<string, string>;
  isAuthorised(asked: Asked): boolean;
  /** The answer; undefined if the method does not exist, which is a fault of the product. */
  answer(asked: Asked, issues: Issues): Answered | undefined;
  pageOf(number: number, url: string): string;
  /** The request of the tracker's webhook. */
  hook(issue: PlayedIssue, secret: string, at: number): { headers: Record<string, string>; body: string };
}

/** The issues of a played tracker. */
export class Issues {
  readonly all: PlayedIssue[] = [];
  url = "";

  add(parts: { title: string; body: string; confidential?: boolean }): PlayedIssue {
    const number = this.all.length + 1;
    const fresh = { number, createdAt: new Date().toISOString(), isOpen: true, comments: [], confidential: false };
    const issue = { ...fresh, ...parts };
    this.all.push(issue);
    return issue;
  }

  at(number: unknown): PlayedIssue | undefined {
    return this.all.find((issue) => issue.number === Number(number));
  }
}

/**
 * The fate of the next request that writes. `lost`: it has no effect; `unanswered`: it has an effect but gets no
 * answer.
 */
export type Mishap = "lost" | "unanswered" | "hang" | Answered;

/**
 * A tracker on the loopback interface that plays its API by the documentation, and complains about any other request.
 */
export async function playedTracker(manner: Manner) {
  const issues = new Issues();
  const asked: Asked[] = [];
  const faults: string[] = [];
  let mishap: Mishap | undefined;
  let outage: Answered | undefined;
  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://tracker.test");
    const sent = await text(request);
    const one: Asked = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: sent === "" ? {} : (JSON.parse(sent) as Record<string, unknown>),
    };
    asked.push(one);
    if (request.headers["user-agent"] !== "Faultline") faults.push(`no user agent: ${one.method} ${one.path}`);
    if (outage) return end(response, outage);
    if (!manner.isAuthorised(one)) return end(response, { status: 401, body: { message: "401 Unauthorized" } });
    const isWrite =
      /\/(?:issues|issue|notes|comments?|transitions)$|\/issues\/\d+$/.test(one.path) && one.method !== "GET";
    const now = isWrite ? mishap : undefined;
    if (isWrite) mishap = undefined;
    if (now === "lost") return void request.socket.destroy();
    if (typeof now === "object") return end(response, now);
    const answer = manner.answer(one, issues);
    if (!answer) faults.push(`${one.method} ${one.path} ${sent.slice(0, 200)}`);
    if (now === "unanswered") return void request.socket.destroy();
    if (now !== "hang") end(response, answer ?? { status: 404, body: { message: "404 Not Found" } });
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  atEndOf("file", () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  issues.url = `http://127.0.0.1:${port}`;
  return {
    manner,
    port,
    url: issues.url,
    fields: manner.fields(issues.url),
    issues,
    asked,
    /** Requests that the API does not have. */
    faults,
    pageOf: (number: number) => manner.pageOf(number, issues.url),
    mishap: (next: Mishap) => void (mishap = next),
    /** Answers all requests with this answer until it is undefined again. */
    outage: (next: Answered | undefined) => void (outage = next),
    /** Closes the connections that got no answer. */
    drop: () => server.closeAllConnections(),
    creations: () => asked.filter((one) => one.method === "POST" && /\/issues?$/.test(one.path)).length,
  };
}

export type PlayedTracker = Awaited<ReturnType<typeof playedTracker>>;

function end(response: ServerResponse, { status, body, headers }: Answered): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
