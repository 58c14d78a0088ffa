const most = 10;

/** A token (RFC 9110, section 5.6.2). */
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const valueForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;

/** Headers that frame a request, name its server, or are set by Faultline. */
const ours =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|content-.*|webhook-.*)$/;

/** The headers from lines of the form `Name: value`. Names become lower case. */
export function extraHeaders(lines: string): Record<string, string> {
  return Object.fromEntries(headersIn(lines));
}

/** Returns in words why the lines cannot be used. Undefined if they can. */
export function headersFault(lines: string): string | undefined {
  const headers = headersIn(lines);
  if (headers.length > most) return `Use at most ${most} headers.`;
  for (const [name, value] of headers) {
    if (!nameForm.test(name)) return "Enter one header per line, such as Authorization: Bearer abc.";
    if (ours.test(name)) return `The header ${name} is set by Faultline.`;
    if (!valueForm.test(value)) return `The value of ${name} must have 1 to 1,000 printable ASCII characters.`;
  }
  const names = new Set(headers.map(([name]) => name));
  return names.size < headers.length ? "Enter each header only once." : undefined;
}

const headersIn = (lines: string): [name: string, value: string][] =>
  lines
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      return colon < 0 ? ["", line] : [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
