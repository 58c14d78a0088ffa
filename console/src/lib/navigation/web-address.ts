/** An address that is safe in a link: of http or https, otherwise undefined. A program's own text may be anything. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
