import type { ErrorEvent } from "@faultline/proto";

/** As much of a text as tells one error from another where there is no stack; numbers in it differ within an error. */
const prefixLength = 64;

/**
 * A cheap stand-in for the error that an event belongs to, which its backend finds out later and at more cost: the
 * application's own fingerprint, else type and place, else the beginning of the text up to its first number. Errors that
 * share a key share a minute's places, which is why the place is in it.
 */
export function errorKey({ fingerprint, exceptions, culprit, messageTemplate, message }: ErrorEvent): string {
  if (fingerprint.length > 0) return `f ${fingerprint.join(" ").slice(0, 4 * prefixLength)}`;
  const exception = exceptions.at(-1);
  if (!exception) return `m ${beginning(messageTemplate || message)}`;
  const place = exception.frames.length > 0 ? culprit : beginning(exception.value);
  return `e ${exception.type} ${place}`;
}

function beginning(text: string): string {
  const prefix = text.slice(0, prefixLength);
  const number = prefix.search(/\d/);
  return number > 0 ? prefix.slice(0, number) : prefix;
}
