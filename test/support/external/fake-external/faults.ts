import type { FakeCall } from "../fake-external.ts";
import type { webRoutes } from "./web-api.ts";

/** The faults of a call, a sentence each: acts that a well-behaved client avoids. */
export function faultsOf(given: {
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
