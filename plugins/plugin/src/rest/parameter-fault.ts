export type Fault = "is missing" | "is invalid" | "is empty" | "is too large" | "does not have a valid value";

/** A request that cannot be read: the body of the answer is `{"error": "<name> <fault>"}` (gitlab.md 1.1). */
export class ParameterFault extends Error {
  readonly status: number;

  /** `status`: 400, or 415 for a type of body that is not supported. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A parameter that is missing or malformed. */
export function badParameter(name: string, fault: Fault): ParameterFault {
  return new ParameterFault(400, `${name} ${fault}`);
}
