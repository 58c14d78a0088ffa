import type { HttpAnswer, HttpCall } from "@faultline/plugin";

/** A request in the form that resources receive. */
export interface ApiCall extends HttpCall {
  /** The address of the request without its query, such as `https://errors.example.com/api/0/projects/`. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Answers a request; refuses with a ServiceError. */
export type Resource = (call: ApiCall) => Promise<HttpAnswer>;

/** The decoded path segment called `name` in the route. */
export function pathPart(call: ApiCall, name: string): string {
  return call.path[name] ?? "";
}
