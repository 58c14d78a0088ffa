/** An address that is safe in a link: only http or https, otherwise undefined. A program's text may be anything. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
