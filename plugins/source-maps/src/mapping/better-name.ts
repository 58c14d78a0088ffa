/**
 * A function's name for people. Its own, unless that says nothing, as that of webpack's machinery; then that by which the caller's
 * frame calls it (the name of the token there, which for an anonymous callback may be the best there is).
 */
export function betterName(own: string | undefined, callerToken: string | undefined): string | undefined {
  return isUseful(own) || !isUseful(callerToken) ? own : callerToken;
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
