/** The value of a header and its parameters, by lower-case name: `form-data; name="file"` is form-data with name = file. */
export interface ParametrisedHeader {
  /** Lower-case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads the headers Content-Type (RFC 9110, section 8.3.1) and Content-Disposition (RFC 6266, section 4.1), whose
 * parameters are tokens or quoted strings. Undefined: it is malformed, or names a parameter twice.
 */
export function parseHeaderValue(text: string): ParametrisedHeader | undefined {
  const end = text.indexOf(";");
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  let at = end < 0 ? text.length : end;
  while (at < text.length) {
    parameter.lastIndex = at;
    const [all, name, quoted, token] = parameter.exec(text) ?? [];
    if (all === undefined) return undefined;
    at += all.length;
    if (name === undefined) continue; // a semicolon at the end
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    parameters.set(key, quoted?.replace(/\\(.)/gs, "$1") ?? token ?? "");
  }
  return { value, parameters };
}

/** No two of its parts can take the same character, so that it is linear. */
const parameter = /[ \t]*;[ \t]*(?:([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*|$)/sy;
