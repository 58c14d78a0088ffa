import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Log } from "@faultline/plugin";
import { installation } from "./installation.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The folder of the built console. */
const installed = join(installation, "console/build");

/** The headers with the addresses of the console and of the visitor. They are set here, never taken from outside. */
const protocolHeader = "x-faultline-protocol";
const hostHeader = "x-faultline-host";
const addressHeader = "x-faultline-client-address";

/** The console's pages, mounted behind the public HTTP server. */
export class ConsolePages {
  readonly #log: Log;
  readonly #built: URL;
  #handler: Handler;
  #baseUrl: URL | null = null;

  /**
   * `areElsewhere`: other processes show the pages, and they are not loaded here. `log` takes the failures of pages.
   * `built`: the folder of the built console.
   */
  constructor({
    areElsewhere,
    log,
    built = installed,
  }: {
    areElsewhere: boolean;
    log: Log;
    built?: string | undefined;
  }) {
    this.#log = log;
    this.#built = pathToFileURL(join(built, "handler.js"));
    this.#handler = areElsewhere ? elsewhere : notBuilt;
  }

  /**
   * Loads the built console and passes it the address of the core. `baseUrl` is the address that people use, regardless
   * of the host that a request names. If it is undefined, the host of each request is used, by plain http.
   */
  async load({ grpcAddress, baseUrl }: { grpcAddress: string; baseUrl: string | undefined }): Promise<void> {
    this.#baseUrl = URL.parse(baseUrl ?? "");
    if (!existsSync(this.#built)) return;
    // The console reads its own configuration from the environment, like SvelteKit's node adapter.
    process.env["FAULTLINE_GRPC_ADDRESS"] = grpcAddress;
    process.env["PROTOCOL_HEADER"] = protocolHeader;
    process.env["HOST_HEADER"] = hostHeader;
    process.env["ADDRESS_HEADER"] = addressHeader;
    const { handler } = (await import(this.#built.href)) as { handler: Handler };
    this.#handler = handler;
  }

  handle(request: IncomingMessage, response: ServerResponse, clientIp: string): void {
    request.headers[protocolHeader] = this.#baseUrl?.protocol.replace(":", "") ?? "http";
    request.headers[hostHeader] = this.#baseUrl?.host ?? request.headers.host;
    request.headers[addressHeader] = clientIp;
    this.#handler(Object.assign(request, { pageLog: this.#log }), response);
  }
}

const notBuilt: Handler = (_request, response) => {
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8" });
  response.end("The console is not built. Run `npm run build`, then start again.\n");
};

const elsewhere: Handler = (_request, response) => {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
  response.end(
    "This process serves no pages. Open the address of the installation, which leads to a process with the role console.\n",
  );
};
