import { ErrorReason } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import * as assert from "uvu/assert";

/** Asserts that a gRPC call is refused with this reason, and returns the refusal. */
export async function refusedBecause(reason: keyof typeof ErrorReason, call: Promise<unknown>): Promise<CallError> {
  const error = await call.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  assert.instance(error, CallError, "the call was not refused");
  const refusal = error as CallError;
  assert.is(refusal.reason, ErrorReason[reason], refusal.message);
  return refusal;
}
