/**
 * An answer of the external system that is invalid. Its message is one of the recorded ones and contains names of keys
 * alone, nothing of the answer itself.
 */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** The answer lacks required keys; `keys` are dotted paths. */
export function missingKeys(...keys: string[]): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response is missing keys. Required and not found: ${keys.join(", ")}.`);
}

/** The answer is not a list where one is required. */
export function notAList(): InvalidAnswer {
  return new InvalidAnswer("Sentry API response is missing keys. It should be a list.");
}

/** An id is not numeric. */
export function notNumeric(field: string): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response contains invalid value for field "${field}": it is not numeric`);
}
