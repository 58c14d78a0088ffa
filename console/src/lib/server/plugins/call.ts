import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@faultline/proto/grpc";
import type { RequestEvent } from "@sveltejs/kit";
import { clientOf } from "#lib/server/core.ts";
import type { Call, PersonsClient } from "./server-part.ts";

/** What the loads and actions of plugins get of a request. */
export function callOf({ locals, request, url }: Pick<RequestEvent, "locals" | "request" | "url">): Call {
  return {
    api: locals.api,
    url,
    client<S extends DescService>(service: S) {
      const context = { token: locals.token, signal: request.signal };
      const methods = Object.entries(clientOf(service)) as [string, ServiceClient<S>[keyof ServiceClient<S>]][];
      return Object.fromEntries(
        methods.map(([name, call]) => [name, (message: never) => call(message, context)]),
      ) as unknown as PersonsClient<S>; // built from the same methods
    },
  };
}
