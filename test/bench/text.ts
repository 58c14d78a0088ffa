/** `12,345`. */
export function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}

/** `12.3 ms`. */
export function ms(number: number): string {
  return `${number.toFixed(1)} ms`;
}

/** `1,234 MB`, of millions of bytes. */
export function megabytes(bytes: number): string {
  return `${whole(bytes / 1e6)} MB`;
}
