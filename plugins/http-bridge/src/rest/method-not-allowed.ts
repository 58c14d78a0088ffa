import { sendJson, type Handler } from "../request-context.ts";
import { refusedRequest } from "./http-error.ts";

/** Answers a method that an address does not have with those that it has. */
export function methodNotAllowed(methods: Readonly<Record<string, unknown>>): Handler {
  const allow = Object.keys(methods).join(", ");
  return async ({ response }) => {
    const { status, body } = refusedRequest(405, "METHOD_NOT_ALLOWED", { error: "405 Not Allowed" });
    response.setHeader("allow", allow);
    sendJson(response, status, body);
  };
}
