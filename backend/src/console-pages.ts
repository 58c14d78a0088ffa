import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const built = new URL("../../console/build/handler.js", import.meta.url);

/** The header in which the console reads the scheme people use; set here, never taken from outside. */
const protocolHeader = "x-faultline-protocol";

/** The console's pages, mounted behind the public HTTP server. */
export class ConsolePages {
  #handler: Handler = notBuilt;
  #protocol = "http";

  /** Loads the built console and tells it where the core is. */
  async load({ grpcAddress, baseUrl }: { grpcAddress: string; baseUrl: string }): Promise<void> {
    this.#protocol = new URL(baseUrl).protocol.replace(":", "");
    if (!existsSync(built)) return;
    // The console reads its own configuration from the environment, as SvelteKit's node adapter does.
    process.env["FAULTLINE_GRPC_ADDRESS"] = grpcAddress;
    process.env["PROTOCOL_HEADER"] = protocolHeader;
    const { handler } = (await import(built.href)) as { handler: Handler };
    this.#handler = handler;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    request.headers[protocolHeader] = this.#protocol;
    this.#handler(request, response);
  }
}

const notBuilt: Handler = (_request, response) => {
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8" });
  response.end("The console is not built. Run `npm run build`, then start again.\n");
};
