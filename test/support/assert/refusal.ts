import { ServiceError } from "@faultline/plugin";
import * as assert from "uvu/assert";

/** The ServiceError that a function throws. Fails if it throws none. */
export function refusal(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    assert.instance(error, ServiceError);
    return error as ServiceError;
  }
  return assert.unreachable("nothing was refused") as never;
}
