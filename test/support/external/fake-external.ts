import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { fakeData, type FakeData, type FakeDataInit } from "./played-sentry/data.ts";
import { webRoutes, type WebAnswer, type WebApi } from "./played-sentry/web-api.ts";

export interface FakeExternalOptions extends FakeDataInit {
  /** Default: the machine's clock. Pass the clock of the service if the test moves it. */
  readonly clock?: { now(): number };
  /** The path in front of `/api/0`, such as `/sentry`. Default: none. */
  readonly basePath?: string;
  /** The version that the system reports. Default: 25.1.0. */
  readonly version?: string;
  /** The scopes of every token. Default: `project:read`, `event:read`, `event:write`. */
  readonly scopes?: readonly string[];
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  readonly port?: number;
  /** Makes it an https server. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer };
}

/** A received call, without its token. */
export interface FakeCall {
  readonly method: string;
  /** Below the base path, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The index of its token in `tokens`; -1 if it had none of them. */
  readonly token: number;
}

/** An answer in place of the answer from the data. */
export type FakeAnswer = WholeAnswer | ChangedAnswer | ((response: ServerResponse, call: FakeCall) => void);

export interface WholeAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string | Buffer;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** The answer from the data with other JSON. */
export interface ChangedAnswer {
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the JSON to send in place of `json`. It is a method, so that a test can declare the type of the JSON. */
  change(json: unknown, call: FakeCall): unknown;
}

export interface FakeSelection {
  /** Only calls to these paths. Default: all. */
  readonly on?: RegExp;
  /** Only calls with this method. Default: all. */
  readonly method?: "GET" | "PUT";
  /** Only calls with this token. Default: all. */
  readonly token?: string;
  /** Only this number of calls. Default: all. */
  readonly times?: number;
}

/** Calls that are not answered yet. */
export interface Held {
  /** The number of waiting calls. */
  waiting(): number;
  /** Answers the held calls, and holds no more. */
  release(): void;
}

/**
 * An external error-tracking system: a server on the loopback interface that plays Sentry's web API with the data of a
 * test. It complains about calls that a well-behaved client does not make. If a redirection leads to an address that it
 * does not have, a complaint shows that the client followed it.
 */
export interface FakeExternal {
  /** The address that a person enters as External API URL. */
  readonly url: string;
  readonly port: number;
  /** The data of the system. Calls change statuses, and tests may change everything. */
  readonly data: FakeData;
  /** The faults of calls; must be empty at the end of a test. */
  readonly complaints: string[];
  readonly calls: FakeCall[];
  /** Makes a valid token. Each client that may make four concurrent calls needs a separate token. */
  newToken(): string;
  /** Makes a token invalid. */
  revoke(token: string): void;
  /** Sets the scopes of tokens from now on. */
  setScopes(scopes: readonly string[]): void;
  /** Sets the version that the system reports from now on. */
  setVersion(version: string): void;
  /** Overrides answers from now on. The latest override comes first. The returned function removes it. */
  answerWith(answer: FakeAnswer, selection?: FakeSelection): () => void;
  /** Removes every override. */
  answerAsUsual(): void;
  /** Holds calls until they are released. */
  hold(selection?: Pick<FakeSelection, "on">): Held;
  /** The highest number of concurrent calls with one token. */
  mostAtOnce(): number;
  /** Whether any call contained this text, in its address, a header or its body. */
  saw(text: string): boolean;
  /** The number of connections that were opened, including connections without a call. */
  connectionCount(): number;
  /** The number of open connections. */
  openConnections(): number;
  /** The number of bytes that it could send. */
  bytesSent(): number;
  /** Stops immediately, like a machine that is switched off. The port refuses connections. */
  close(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): Promise<void>;
}

interface Override extends FakeSelection {
  readonly answer: FakeAnswer;
  left: number;
}

export async function fakeExternal(options: FakeExternalOptions = {}): Promise<FakeExternal> {
  const { clock = { now: Date.now }, basePath = "", host = "127.0.0.1", tls } = options;
  const data = fakeData(options, clock.now());
  const complaints: string[] = [];
  const calls: FakeCall[] = [];
  const seen: string[] = [];
  const tokens: string[] = [];
  const atOnce = new Map<number, number>();
  let overrides: Override[] = [];
  let holds: { on: RegExp; waiting: (() => void)[] }[] = [];
  let scopes = options.scopes ?? ["project:read", "event:read", "event:write"];
  let version = options.version ?? "25.1.0";
  let mostAtOnce = 0;
  let connections = 0;
  let bytesOfClosed = 0;
  const sockets = new Set<Socket>();

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(`${origin}${request.url}`);
    const authorization = request.headers.authorization ?? "";
    const token = tokens.indexOf(authorization.replace(/^Bearer /, ""));
    const running = (atOnce.get(token) ?? 0) + 1;
    atOnce.set(token, running);
    if (token >= 0) mostAtOnce = Math.max(mostAtOnce, running);
    response.once("close", () => atOnce.set(token, (atOnce.get(token) ?? 1) - 1));

    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    seen.push([request.url, ...request.rawHeaders, body].join("\n"));
    const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : "outside of the base path";
    const { authorization: _, ...headers } = request.headers as Record<string, string>;
    const call: FakeCall = { method: request.method ?? "", path, query: url.searchParams, headers, body, token };
    calls.push(call);

    const faults = faultsOf({ call, rawUrl: request.url ?? "", host: url.host, authorization, routes: webRoutes });
    if (running > 4 && token >= 0) faults.push(`${running} calls at once with one token`);
    complaints.push(...faults.map((fault) => `${call.method} ${request.url}: ${fault}`));

    const hold = holds.find(({ on }) => on.test(path));
    if (hold) await new Promise<void>((resolve) => hold.waiting.push(resolve));
    const override = overrides.find(
      (one) =>
        one.left > 0 &&
        (one.on?.test(path) ?? true) &&
        (one.method ?? call.method) === call.method &&
        (one.token ?? tokens[token]) === tokens[token],
    );
    if (!override) return send(response, usual(call, url));
    const { answer } = override;
    override.left--;
    if (typeof answer === "function") return answer(response, call);
    if (!("change" in answer)) return send(response, answer);
    const { json, ...said } = usual(call, url);
    send(response, { ...said, headers: { ...said.headers, ...answer.headers }, json: answer.change(json, call) });
  };

  const api: WebApi = {
    data,
    get scopes() {
      return scopes;
    },
    get version() {
      return version;
    },
    now: () => clock.now(),
    origin: () => `${origin}${basePath}`,
  };

  /** The answer from the data. */
  const usual = (call: FakeCall, url: URL): WebAnswer => {
    const route = webRoutes.find(({ path, method }) => method === call.method && path.test(call.path));
    if (!route) return { status: 404, json: { detail: "The requested resource does not exist" } };
    if (route.scopes.length > 0 && call.token < 0) return { status: 401, json: { detail: "Invalid token" } };
    if (route.scopes.length > 0 && !route.scopes.some((scope) => scopes.includes(scope))) {
      return { status: 403, json: { detail: "You do not have permission to perform this action." } };
    }
    const parts = (route.path.exec(call.path) ?? []).slice(1).map(decodeURIComponent);
    const fields = call.body === "" ? {} : (JSON.parse(call.body) as Record<string, unknown>);
    return route.answer({ api, parts, query: call.query, body: fields, url });
  };

  const send = (response: ServerResponse, answer: WholeAnswer) => {
    const { status = 200, headers = {}, body: given, json } = answer;
    const body = given ?? (json === undefined ? "" : JSON.stringify(json));
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(body);
  };

  const listener: RequestListener = (request, response) => {
    receive(request, response).catch((error: unknown) => {
      if (!response.destroyed) complaints.push(String(error));
      response.destroy();
    });
  };
  const listen = async (at: number) => {
    const made = tls ? createTlsServer(tls, listener) : createServer(listener);
    made.on("connection", (socket: Socket) => {
      connections++;
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        bytesOfClosed += socket.bytesWritten;
      });
    });
    made.listen(at, host);
    await once(made, "listening");
    return made;
  };
  let server = await listen(options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const origin = `${tls ? "https" : "http"}://${host}:${port}`;

  return {
    url: `${origin}${basePath}`,
    port,
    data,
    complaints,
    calls,
    newToken() {
      const token = `sntryu_${port}-${tokens.length}-${"abcdef0123456789".repeat(2)}`;
      tokens.push(token);
      return token;
    },
    revoke: (token) => void tokens.splice(tokens.indexOf(token), 1, "revoked"),
    setScopes: (given) => void (scopes = given),
    setVersion: (given) => void (version = given),
    answerWith(answer, selection = {}) {
      const override: Override = { answer, left: selection.times ?? Infinity, ...selection };
      overrides.unshift(override);
      return () => void (overrides = overrides.filter((one) => one !== override));
    },
    answerAsUsual: () => void (overrides = []),
    hold({ on = /^/ } = {}) {
      const hold = { on, waiting: [] as (() => void)[] };
      holds.unshift(hold);
      return {
        waiting: () => hold.waiting.length,
        release() {
          holds = holds.filter((one) => one !== hold);
          for (const resolve of hold.waiting.splice(0)) resolve();
        },
      };
    },
    mostAtOnce: () => mostAtOnce,
    saw: (text) => seen.some((one) => one.includes(text)),
    connectionCount: () => connections,
    openConnections: () => sockets.size,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, bytesOfClosed),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async comeBack() {
      server = await listen(port);
    },
  };
}

/** The faults of a call, a sentence each: acts that a well-behaved client avoids. */
function faultsOf(given: {
  call: FakeCall;
  rawUrl: string;
  /** The host of the system, with the port. */
  host: string;
  authorization: string;
  routes: typeof webRoutes;
}): string[] {
  const { call, rawUrl, authorization } = given;
  const { headers } = call;
  const known = given.routes.filter(({ path }) => path.test(call.path));
  const route = known.find(({ method }) => method === call.method);
  const unknown = [...call.query.keys()].filter((name) => route && !route.parameters.includes(name));
  const encodings = headers["accept-encoding"] ?? "identity";
  return [
    known.length === 0 && "there is no such address",
    known.length > 0 && !route && "there is no such method",
    route && route.scopes.length > 0 && authorization === "" && "no token",
    authorization !== "" && call.token < 0 && "a token that it does not know, or not as Bearer",
    rawUrl.includes("//") && "a doubled slash",
    /\/\.\.?(\/|$)|%2e%2e|%2f/i.test(rawUrl) && "a way upwards",
    headers["cookie"] !== undefined && "a cookie",
    encodings !== "identity" && `it asks for ${encodings}`,
    headers["host"] !== given.host && `the host is ${headers["host"]}`,
    unknown.length > 0 && `it does not know ${unknown.join(", ")}`,
    call.method === "GET" && call.body !== "" && "a GET with a body",
    call.method === "PUT" && faultOfUpdate(call),
  ].filter((fault) => typeof fault === "string");
}

function faultOfUpdate({ headers, body }: FakeCall): string | false {
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) return "an update that is not application/json";
  const unknown = Object.keys(parsed(body) ?? { "a body that is no object": 1 }).filter((key) => key !== "status");
  return unknown.length > 0 && `an update with ${unknown.join(", ")}`;
}

function parsed(body: string): object | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // reported as a fault
  }
}
