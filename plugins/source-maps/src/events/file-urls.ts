/**
 * The addresses under which a release may have a file, the likeliest first: whole, without its query, and with `~` in
 * place of scheme and host, as Sentry's tools write them.
 */
export function urlsOf(address: string): string[] {
  const whole = address.replace(/#.*$/s, "");
  const bare = whole.replace(/\?.*$/s, "");
  const parsed = URL.parse(whole);
  const isRemote = parsed !== null && parsed.host !== "";
  const short = isRemote
    ? [`~${parsed.pathname}${parsed.search}`, `~${parsed.pathname}`]
    : [`~/${bare.replace(/^(?:app:\/\/)?\/*/, "")}`];
  return [...new Set([whole, bare, ...short])];
}

/** The last part of an address. */
export const nameOf = (address: string) =>
  address
    .replace(/[?#].*$/s, "")
    .split(/[\\/]/)
    .at(-1) ?? "";
