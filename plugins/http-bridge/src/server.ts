import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, BlockList } from "node:net";
import { StartRefusal, type Host, type HttpApi } from "@faultline/plugin";
import { clientIp } from "./client-ip.ts";
import { originOf } from "./origin.ts";
import { apiRoutes } from "./plugin-api.ts";
import { routes, unknown } from "./routes.ts";
import { securityHeaders } from "./security-headers.ts";
import type { Route, Visit } from "./visit.ts";

/** Answers what no route of the bridge answers: the console's pages. `clientIp` is the sender's address. */
export type Pages = (request: IncomingMessage, response: ServerResponse, clientIp: string) => void;

/** The public HTTP server. */
export class HttpServer {
  readonly #server: Server;
  readonly #host: Host;
  readonly #routes: readonly Route[];
  readonly #pages: Pages;
  readonly #trusted: BlockList;
  readonly #baseUrl: string | undefined;
  readonly #securityHeaders: ReturnType<typeof securityHeaders>;
  readonly #running = new Set<Promise<void>>();

  constructor(
    host: Host,
    options: { pages: Pages; apis: readonly HttpApi[]; trusted: BlockList; baseUrl: string | undefined },
  ) {
    this.#host = host;
    this.#routes = [...routes, ...options.apis.flatMap(apiRoutes), ...unknown];
    this.#pages = options.pages;
    this.#trusted = options.trusted;
    this.#baseUrl = options.baseUrl;
    this.#securityHeaders = securityHeaders(options.baseUrl);
    this.#server = createServer(
      {
        keepAliveTimeout: 5_000,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 2_000, // Node looks for timeouts each 30 s by itself, too late for a slow attack
      },
      (request, response) => this.#answer(request, response),
    );
  }

  /** Listens and answers the address. */
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
      this.#server.listen(options.port, options.host, () => {
        const { address, family, port } = this.#server.address() as AddressInfo; // a TCP server has no other kind
        // An address that stands for all of them is none that a DSN could name.
        const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
        resolve(`http://${host === address && family === "IPv6" ? `[${address}]` : host}:${port}`);
      });
    });
  }

  /**
   * Takes no new requests and waits for ours to be answered, for at most five seconds; then pages have half a second
   * more, as the updates that are pushed to them have no end.
   */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cut = () => this.#server.closeAllConnections();
    const timers = [setTimeout(cut, 5_000)];
    void Promise.all(this.#running).then(() => timers.push(setTimeout(cut, 500)));
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? "/";
    const queryStart = url.indexOf("?");
    const pathname = queryStart < 0 ? url : url.slice(0, queryStart);
    for (const route of this.#routes) {
      const match = route.pattern.exec(pathname);
      if (!match) continue;
      setAll(response, route.isIngestion ? this.#securityHeaders.ingestion : this.#securityHeaders.all);
      const visit: Visit = {
        request,
        response,
        host: this.#host,
        path: match.groups ?? {},
        query: new URLSearchParams(queryStart < 0 ? "" : url.slice(queryStart + 1)),
        clientIp: clientIp(request, this.#trusted),
        origin: originOf(request.headers.host, this.#baseUrl),
      };
      const handler = route.methods[request.method ?? ""] ?? route.otherMethod;
      const running = handler(visit)
        .catch((error: unknown) => this.#fail(visit, error))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
      return;
    }
    setAll(response, this.#securityHeaders.all);
    this.#pages(request, response, clientIp(request, this.#trusted));
  }

  /** A handler's own failure to answer; each kind of route answers refusals itself. */
  #fail({ request, response }: Visit, error: unknown): void {
    if (request.destroyed && !request.complete) return; // the client went away
    this.#host.log.error({ err: error, method: request.method }, "request failed");
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

function setAll(response: ServerResponse, headers: Iterable<readonly [name: string, value: string]>): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}
