import { setTimeout as delay } from "node:timers/promises";
import { ErrorReason } from "@faultline/proto";
import { CallError, type CallContext } from "@faultline/proto/grpc";
import { progress } from "./output.ts";

/**
 * The same client, whose calls wait when the token's limit is used up and are then repeated, which is safe: the service
 * did nothing for a call it refused so. An export, which calls once per event, goes on at the pace of the limit and
 * loses nothing.
 */
export function patientCalls<Client extends object>(client: Client): Client {
  return Object.fromEntries(
    Object.entries(client).map(([method, call]) => [
      method,
      (request: unknown, context?: CallContext) => {
        const answer: unknown = call(request, context);
        return answer instanceof Promise ? again(answer, () => call(request, context)) : answer; // a stream goes on
      },
    ]),
  ) as Client; // the same methods
}

let hasSaidSo = false;

async function again(first: Promise<unknown>, call: () => Promise<unknown>): Promise<unknown> {
  for (let answer = first; ; answer = call()) {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof CallError) || error.reason !== ErrorReason.RATE_LIMITED) throw error;
      if (!hasSaidSo) progress(`the service limits calls, so this takes longer: ${error.message}`);
      hasSaidSo = true;
      await delay(Math.max(1, error.retryAfterSeconds) * 1000);
    }
  }
}
