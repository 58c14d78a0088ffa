/**
 * An answer of the external system that is not as it should be. Its message is one of the recorded ones and holds names
 * of keys alone: nothing of the answer itself.
 */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** The answer lacks what cannot be done without; `keys` are dotted paths. */
export function missingKeys(...keys: string[]): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response is missing keys. Required and not found: ${keys.join(", ")}.`);
}

/** The answer is no list where one belongs. */
export function notAList(): InvalidAnswer {
  return new InvalidAnswer("Sentry API response is missing keys. It should be a list.");
}

/** An id is not made of digits. */
export function notNumeric(field: string): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response contains invalid value for field "${field}": it is not numeric`);
}
