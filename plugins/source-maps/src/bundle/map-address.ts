/**
 * The URLs under which the map of a script may lie in a bundle, the likeliest first: the reference resolved against the
 * script's URL, without its fragment, its query, its escapes, and its host, for which `~` stands (section 2.3).
 */
export function mapAddresses(reference: string, scriptUrl: string): readonly string[] {
  const [whole = ""] = resolve(reference.trim(), scriptUrl).split("#");
  const [path = ""] = whole.split("?");
  const addresses = [whole, path, decoded(path)];
  return [...new Set([...addresses, ...addresses.map(withoutHost)])];
}

/** `https://host`, `app://`, `~` or nothing, and what follows. */
const parts = /^(~|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?(.*)$/s;

/** RFC 3986, section 5.2, for texts that need not be URLs: what is no `.` or `..` stays as it is. */
function resolve(reference: string, base: string): string {
  const [, origin = ""] = parts.exec(reference) ?? [];
  if (origin !== "") return reference;
  const [, baseOrigin = "", basePath = ""] = parts.exec(base) ?? [];
  if (reference.startsWith("//")) return `${/^[^/]*/.exec(baseOrigin)?.[0] ?? ""}${reference}`;
  if (reference.startsWith("/")) return baseOrigin + withoutDots(reference);
  const [path = ""] = basePath.split(/[?#]/, 1);
  return baseOrigin + withoutDots(path.slice(0, path.lastIndexOf("/") + 1) + reference);
}

function withoutDots(path: string): string {
  const end = path.search(/[?#]/);
  const rest = end < 0 ? "" : path.slice(end);
  const kept: string[] = [];
  const segments = (end < 0 ? path : path.slice(0, end)).split("/");
  for (const segment of segments) {
    if (segment === "..") {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== "")) kept.pop();
    } else if (segment !== ".") kept.push(segment);
  }
  return kept.join("/") + rest;
}

const withoutHost = (url: string) => url.replace(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*/, "~");

/** Bundlers escape blanks and letters in references; the clients' URLs are names of files. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
