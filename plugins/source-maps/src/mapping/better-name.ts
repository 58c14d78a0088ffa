import type { Found } from "./look-up.ts";

/**
 * A function's name for people. Its own, unless that says nothing, as that of webpack's machinery; then that by which the caller's
 * frame calls it (the name of the token there, which for an anonymous callback may be the best there is).
 */
export function betterName(own: string | undefined, callerToken: string | undefined): string | undefined {
  return isUseful(own) || !isUseful(callerToken) ? own : callerToken;
}

/**
 * What the map calls the function around a place. dart2js moves the body of an asynchronous function into one that it calls
 * `$async$...`; the name of the token at the place is then that of the function in the source, as symbolicator takes it.
 */
export function mappedName({ name, functionName }: Pick<Found, "name" | "functionName">): string | undefined {
  const isMoved = functionName !== undefined && /(?:^|\.)\$async\$/.test(functionName);
  return isMoved ? (name ?? functionName) : functionName;
}

/** The list of symbolicator, and what browsers and SDKs write where a function has no name. */
const useless = new Set([
  "",
  "?",
  "<anonymous>",
  "<unknown>",
  "anonymous",
  "__webpack_require__",
  "__webpack_modules__",
]);

const isUseful = (name: string | undefined) => name !== undefined && !useless.has(name);
