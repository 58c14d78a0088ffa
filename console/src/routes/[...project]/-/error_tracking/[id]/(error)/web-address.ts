/** An address as it may stand in a link: of http or https, else undefined. What a program wrote may be any text. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
