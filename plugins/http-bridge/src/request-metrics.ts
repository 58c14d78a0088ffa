import type { ServerResponse } from "node:http";
import type { Metrics } from "@faultline/plugin";
import type { Route } from "./request-context.ts";

const secondsBounds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts requests and measures how long their answers take. */
export class RequestMetrics {
  readonly #requests;
  readonly #seconds;

  /** `running`: requests that are not answered yet. */
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

  /** Notes a request that arrived at `begunAt` and is finished; `route` is the bridge's own that answered it. */
  note(response: ServerResponse, { route, begunAt }: { route: Route | undefined; begunAt: number }): void {
    const kind = route?.kind ?? (isStream(response) ? "stream" : "page");
    this.#requests.of(kind, response.headersSent ? String(response.statusCode) : "none").add();
    if (kind !== "stream") this.#seconds.of(kind).observe((performance.now() - begunAt) / 1000);
  }
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader("content-type")).startsWith("text/event-stream");
}
