import type { ErrorEvent } from "@faultline/proto";
import { mainException } from "@faultline/sentry-event";

/** Enough of a text to distinguish errors without a stack; numbers in it vary within an error. */
const prefixLength = 64;

/**
 * A cheap stand-in for the error of an event, which its backend determines later at a higher cost: the application's
 * own fingerprint, otherwise type and culprit, otherwise the beginning of the text up to its first number. Errors with
 * the same key share a minute's allowance, so the culprit is part of it.
 */
export function errorKey({ fingerprint, exceptions, culprit, messageTemplate, message }: ErrorEvent): string {
  if (fingerprint.length > 0) return `f ${fingerprint.join(" ").slice(0, 4 * prefixLength)}`;
  const exception = mainException(exceptions);
  if (!exception) return `m ${beginning(messageTemplate || message)}`;
  const place = exception.frames.length > 0 ? culprit : beginning(exception.value);
  return `e ${exception.type} ${place}`;
}

function beginning(text: string): string {
  const prefix = text.slice(0, prefixLength);
  const number = prefix.search(/\d/);
  return number > 0 ? prefix.slice(0, number) : prefix;
}
