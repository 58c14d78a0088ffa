/** The pattern of a path in which `:name` stands for one part; a trailing slash may follow. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)").replaceAll(".", "\\.")}/?$`);
}

/** A part of a path without its percent-encoding; empty, which names nothing, when that is malformed or holds a NUL. */
export function decodedPart(part: string | undefined): string {
  try {
    const text = decodeURIComponent(part ?? "");
    return text.includes("\0") ? "" : text;
  } catch {
    return "";
  }
}
