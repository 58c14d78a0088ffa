import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as Listener, type AddressInfo, type Socket, isIP } from "node:net";
import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";
import {
  clientSite,
  StartRefusal,
  unreadMs,
  unreadAnswers,
  type Host,
  type Networks,
  type Span,
  type Tracing,
  type Metrics,
} from "@faultline/plugin";
import { chargeBody } from "./charge-body.ts";
import { LoopTurns } from "./loop-turns.ts";
import { OpenForms } from "./pages/open-forms.ts";
import { callerOf } from "./read-request.ts";
import { beginRequest, endRequest } from "./request-span.ts";
import { securityHeaders } from "./security-headers.ts";
import { setHeaders, RequestContext, type Handler, type RawHeaders, type Route } from "./request-context.ts";
import { loopback } from "./this-machine.ts";

/** Answers requests without a route in the bridge: the console's pages. `clientIp` is the sender's address. */
export type Pages = (request: IncomingMessage, response: ServerResponse, clientIp: string) => void;

/** After this many checks without a new request, 10 ms apart, all busy clients know that their connections end. */
const quietLooks = 10;

/** A client is idle after this long without sending anything. */
const idleMs = 1_000;

/** Requests of one network that wait; more are refused. */
const waitingOfNetwork = 2_000;

/** The deadline of each step of closing, from the beginning of closing, whatever clients do. */
const closing = { listening: 1_500, awaitingFirstRequests: 2_000, answering: 5_000, sendingLastAnswers: 5_250 };

/**
 * Connections that wait to be accepted; the system may allow fewer. With Node's 511, the system dropped the excess in a
 * storm of 4,000 new connections, and clients retried after 1, 3, 7 and 15 seconds.
 */
const backlog = 4_096;

/** The public HTTP server. */
export class HttpServer {
  readonly #server: Server;
  readonly #host: Host;
  readonly #routes: readonly Route[];
  readonly #pages: Pages;
  /** Sixty simultaneous sign-ins took 320 ms of the event loop, and everybody else waited that long. */
  readonly #pageTurns = new LoopTurns(1, waitingOfNetwork);
  /** 8,000 simultaneous requests for a page of 0.3 ms took the event loop for 2.5 s. */
  readonly #callTurns = new LoopTurns(4, waitingOfNetwork);
  readonly #openForms: OpenForms;
  readonly #trusted: Networks;
  readonly #baseUrl: string | undefined;
  readonly #securityHeaders: ReturnType<typeof securityHeaders>;
  readonly #measured: RequestMetrics;
  /** Unanswered responses, with the headers they still need. */
  readonly #unanswered = new Map<ServerResponse, RawHeaders>();
  /** Connections without a request yet. */
  readonly #fresh = new Set<Socket>();
  #requests = 0;
  /** The number of running handlers. */
  #running = 0;
  #lastRequestAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;
  #hasWarnedOfProxy = false;

  constructor(
    host: Host,
    options: {
      pages: Pages;
      /** Tried in this order; the pages answer all other paths. */
      routes: readonly Route[];
      tracing?: Tracing | undefined;
      trusted: Networks;
      baseUrl: string | undefined;
    },
  ) {
    this.#host = host;
    this.#measured = new RequestMetrics(host.metrics, () => this.#unanswered.size);
    this.#routes = options.routes;
    this.#pages = options.pages;
    this.#openForms = new OpenForms(host.clock);
    this.#trusted = options.trusted;
    this.#baseUrl = options.baseUrl;
    this.#securityHeaders = securityHeaders(options.baseUrl);
    this.#server = createServer(
      {
        keepAliveTimeout: 5_000,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 2_000, // by default Node checks timeouts every 30 s, too late for a slow attack
      },
      (request, response) => {
        const span = options.tracing && beginRequest(options.tracing, request);
        if (span) span.within(() => this.#answer(request, response, span));
        else this.#answer(request, response);
      },
    );
    // Emits `timeout` if nothing of an answer is read for this long. Node sees when the system takes a part of a write.
    this.#server.timeout = unreadMs;
    this.#server.on("connection", (socket: Socket) => {
      this.#fresh.add(socket);
      socket.once("close", () => this.#fresh.delete(socket));
    });
  }

  /** Listens and returns the address. */
  listen(options: { host: string; port: number }): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) =>
        reject(
          new StartRefusal(
            `The HTTP address ${options.host}:${options.port} cannot be used, perhaps because another program listens there: choose another with FAULTLINE_HTTP_PORT.`,
            error,
          ),
        ),
      );
      this.#server.listen({ ...options, backlog }, () => {
        const { address, family, port } = this.#server.address() as AddressInfo; // a TCP server has only this kind
        // No DSN could use a wildcard address.
        const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
        resolve(`http://${host === address && family === "IPv6" ? `[${address}]` : host}:${port}`);
      });
    });
  }

  /**
   * Answers every completely received request within at most five seconds; longer requests get a 503. Closing a
   * connection without notice may lose a request in transit, so clients are notified first.
   */
  async close(): Promise<void> {
    const begunAt = performance.now();
    const waitUntil = async (isReached: () => boolean, endsAfterMs: number) => {
      while (!isReached() && performance.now() - begunAt < endsAfterMs) {
        for (const response of this.#unanswered.keys()) endConnectionAfter(response); // page streams may still begin
        await delay(10);
        await immediate(); // after the sockets: data that arrived while the process was paused is now read
      }
    };
    let quiet = { requests: this.#requests, looks: 0 };
    const isQuiet = () => {
      quiet = { requests: this.#requests, looks: quiet.requests === this.#requests ? quiet.looks + 1 : 0 };
      return quiet.looks > quietLooks || performance.now() - this.#lastRequestAt > idleMs;
    };
    this.#isClosing = true;
    for (const response of this.#unanswered.keys()) endConnectionAfter(response);
    await waitUntil(isQuiet, closing.listening);

    let isClosed = false;
    // Not the method of HTTP servers, which cuts connections with a first request in transit.
    Listener.prototype.close.call(this.#server, () => (isClosed = true));
    await waitUntil(() => this.#fresh.size === 0, closing.awaitingFirstRequests);
    for (const socket of this.#fresh) socket.destroy();
    this.#server.closeIdleConnections();
    await waitUntil(() => isClosed && this.#running === 0, closing.answering);

    const late = [...this.#unanswered].filter(([response]) => !response.writableEnded);
    if (late.length > 0) {
      const requests = late.slice(0, 10).map(([{ req }]) => `${req.method} ${pathOf(req)}`);
      this.#host.log.warn(
        { count: late.length, requests },
        "requests that took too long were cut off so that the service stops in time",
      );
    }
    for (const [response, headers] of late) if (!response.headersSent) sendStopping(response, headers);
    await waitUntil(() => isClosed, closing.sendingLastAnswers);
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse, span?: Span): void {
    this.#fresh.delete(request.socket);
    this.#requests++;
    const begunAt = performance.now();
    this.#lastRequestAt = begunAt;
    const pathname = pathOf(request);
    const [route, path] = this.#routeOf(pathname);
    const isIngestion = route?.kind === "ingestion";
    // Answers to SDKs get them as one list in writeHead: seven calls of setHeader took 4 microseconds per event.
    const headers = isIngestion ? this.#securityHeaders.ingestion : [];
    this.#unanswered.set(response, headers);
    response.on("timeout", cutUnread);
    if (!isIngestion) this.#watchUnread(response); // answers to SDKs are small
    response.on("close", () => {
      this.#unanswered.delete(response);
      this.#measured.note(response, { route, begunAt });
      if (span) endRequest(span, response, route);
    });
    if (this.#isClosing) endConnectionAfter(response);
    if (!this.#hasWarnedOfProxy && isOfForgottenProxy(request, this.#trusted)) this.#warnOfProxy(request);
    if (!isIngestion) setHeaders(response, this.#securityHeaders.all);
    const ip = clientIp(request, this.#trusted);
    if (!isIngestion && !chargeBody(request, response, { clientIp: ip, isForm: route === undefined })) {
      refuseCrowd(response, "Your network has too many requests in progress.");
      return;
    }

    const begin = (answer: () => void) => () => {
      if (!response.destroyed) answer(); // otherwise the sender left
    };
    if (!route) {
      const answer = begin(() => {
        const page = () => this.#pages(request, response, ip);
        this.#openForms.answer(request, response, { path: pathname, ip, page });
      });
      if (!this.#pageTurns.take(answer, clientSite(ip)))
        refuseCrowd(response, "Too many requests from your network are waiting.");
      return;
    }
    const queryText = (request.url ?? "").slice(pathname.length + 1);
    const parts = { host: this.#host, path, clientIp: ip, headers, queryText, baseUrl: this.#baseUrl };
    const handler = route.methods[request.method ?? ""] ?? route.otherMethod;
    const handle = () => void this.#handle(handler, new RequestContext({ request, response }, parts));
    if (route.kind !== "api") handle();
    else if (!this.#callTurns.take(begin(handle), callerOf(request, ip)))
      refuseCrowd(response, "Too many requests from your network are waiting.");
  }

  #watchUnread(response: ServerResponse): void {
    const { socket } = response.req;
    const answer = { unread: () => response.writableLength, cut: () => socket.destroy() };
    unreadAnswers.add(answer);
    response.on("close", () => unreadAnswers.delete(answer));
  }

  #routeOf(pathname: string): [route: Route | undefined, path: RequestContext["path"]] {
    for (const route of this.#routes) {
      const match = route.pattern.exec(pathname);
      if (match) return [route, match.groups ?? {}];
    }
    return [undefined, {}];
  }

  async #handle(handler: Handler, context: RequestContext): Promise<void> {
    this.#running++;
    try {
      await handler(context);
    } catch (error) {
      this.#fail(context, error);
    } finally {
      this.#running--;
    }
  }

  /** Warns once, because anybody on this machine may send the header. */
  #warnOfProxy({ socket }: IncomingMessage): void {
    this.#hasWarnedOfProxy = true;
    this.#host.log.warn(
      { peer: socket.remoteAddress },
      "a request from this machine has X-Forwarded-For, but FAULTLINE_TRUSTED_PROXIES does not name this machine: if a proxy runs here, all its visitors count as one network at sign-in; add its address there",
    );
  }

  /** Handles unexpected failures of a handler; each kind of route answers refusals itself. */
  #fail({ request, response, headers }: RequestContext, error: unknown): void {
    if (request.destroyed && !request.complete) return; // the client left
    if (response.writableEnded) return; // already answered on shutdown
    this.#host.log.error({ err: error, method: request.method }, "request failed");
    if (!response.headersSent) {
      setHeaders(response, headers);
      response.writeHead(500);
    }
    response.end();
  }
}

/** The path without its query, which may hold a key. */
function pathOf({ url = "/" }: IncomingMessage): string {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? url : url.slice(0, queryStart);
}

/**
 * Notifies the client that its connection ends with this answer. Streams of updates to pages never end by themselves,
 * so they are ended here.
 */
function endConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
  else if (String(response.getHeader("content-type")).startsWith("text/event-stream")) response.end();
}

/**
 * Cuts an answer if the system accepts nothing of it for a while. Waiting requests without an answer are not affected.
 */
function cutUnread(this: ServerResponse): void {
  if (this.writableLength > 0) this.req.socket.destroy();
}

function refuseCrowd(response: ServerResponse, why: string): void {
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "5", connection: "close" });
  response.end(`${why} Send fewer at the same time.\n`);
}

function sendStopping(response: ServerResponse, headers: RawHeaders): void {
  setHeaders(response, headers);
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "5" });
  response.end("The service is stopping. Try again in a moment.\n");
}

/**
 * The sender's address, with IPv4 in its short form: the peer, or the address that trusted proxies report. This is the
 * last address of `X-Forwarded-For` that is not a trusted proxy, because anybody may write the addresses before it.
 */
export function clientIp(request: IncomingMessage, trusted: Networks): string {
  const peer = shortened(request.socket.remoteAddress ?? "");
  const forwarded = request.headers["x-forwarded-for"];
  if (forwarded === undefined || !trusted.has(peer)) return peer;
  let client = peer;
  for (const hop of String(forwarded).split(",").toReversed()) {
    const address = shortened(hop.trim());
    if (isIP(address) === 0) break;
    client = address;
    if (!trusted.has(address)) break;
  }
  return client;
}

/**
 * Whether `X-Forwarded-For` comes from this machine, although it is not a trusted proxy. Most likely a proxy was not
 * configured, so all its visitors count as one.
 */
function isOfForgottenProxy({ socket, headers }: IncomingMessage, trusted: Networks): boolean {
  if (headers["x-forwarded-for"] === undefined) return false;
  const peer = shortened(socket.remoteAddress ?? "");
  return loopback.has(peer) && !trusted.has(peer);
}

function shortened(address: string): string {
  if (!address.startsWith(":")) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

const secondsBounds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts requests and measures how long their answers take. */
class RequestMetrics {
  readonly #requests;
  readonly #seconds;

  /** `running` returns the number of unanswered requests. */
  constructor(metrics: Metrics, running: () => number) {
    this.#requests = metrics.counter(
      "faultline_http_requests_total",
      "HTTP requests by purpose and status; `none`: the client disconnected before a response.",
      ["kind", "status"],
    );
    this.#seconds = metrics.histogram(
      "faultline_http_request_seconds",
      "Time from the head of a request to the end of its answer. Streams are not measured.",
      secondsBounds,
      ["kind"],
    );
    metrics.gauge("faultline_http_requests_running", "HTTP requests in progress, including streams.", running);
  }

  /** Records a finished request that arrived at `begunAt`; `route` is the bridge's route that answered it. */
  note(response: ServerResponse, { route, begunAt }: { route: Route | undefined; begunAt: number }): void {
    const kind = route?.kind ?? (isStream(response) ? "stream" : "page");
    this.#requests.of(kind, response.headersSent ? String(response.statusCode) : "none").add();
    if (kind !== "stream") this.#seconds.of(kind).observe((performance.now() - begunAt) / 1000);
  }
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}
