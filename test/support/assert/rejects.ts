import { CallError } from "@faultline/proto/grpc";
import { status } from "@grpc/grpc-js";
import * as assert from "uvu/assert";

/** Asserts that a gRPC call is refused with this status, and returns the refusal. */
export async function rejects(call: Promise<unknown>, code: keyof typeof status): Promise<CallError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, CallError, "the call was not refused");
  const refusal = error as CallError;
  assert.is(status[refusal.code], code, refusal.message);
  return refusal;
}
