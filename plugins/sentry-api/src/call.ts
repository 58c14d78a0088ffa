import type { HttpAnswer, HttpCall } from "@faultline/plugin";

/** A request as the resources get it. */
export interface ApiCall extends HttpCall {
  /** The address asked for, without its query, such as `https://errors.example.com/api/0/projects/`. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Answers a request; refuses with a ServiceError. */
export type Resource = (call: ApiCall) => Promise<HttpAnswer>;

/** The decoded part of the path that the route calls so. */
export function pathPart(call: ApiCall, name: string): string {
  return call.path[name] ?? "";
}
