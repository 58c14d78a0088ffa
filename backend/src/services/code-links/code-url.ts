import { invalidField } from "@faultline/plugin";

const example = "https://git.example.com/acme/web/-/blob/{revision}/{path}#L{line}";

const placeholders = new Set(["{path}", "{line}", "{revision}"]);

/** Scheme, host name or address and port of an External API URL, and the final `/`. */
const host = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?\//i;

/** The characters that RFC 3986 allows in path, query and fragment, and the braces of placeholders. */
const plain = /^(?:%[0-9a-f]{2}|[\w.~!$&'()*+,;=:@/?#{}-])+$/i;

/** A dot segment: `.` would be removed, and `..` with the part before it. */
const dots = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

/**
 * Normalizes the address that shows a line of code, or refuses it with a sentence. The values of placeholders come from
 * strangers, so none may be in the host, and the raw text is checked before it is parsed, like externalApiUrl.
 */
export function codeUrl(text: string): string {
  const refuse = (sentence: string) => invalidField("code_url", sentence);
  const pattern = text.trim();
  if (pattern.length > 255) throw refuse("A link to the code has at most 255 characters.");
  if (pattern === "") return "";
  if (/^https?:\/\/[^/?#]*@/i.test(pattern)) {
    throw refuse("Leave the user name and password out of the link: everyone who can read errors sees it.");
  }
  const unknown = pattern.match(/\{[^{}]*\}?|\}/g)?.find((one) => !placeholders.has(one));
  if (unknown !== undefined) {
    throw refuse(`The link supports the placeholders {path}, {line} and {revision}, not ${unknown}.`);
  }
  const [start] = host.exec(pattern) ?? [];
  const isPlain = start !== undefined && plain.test(pattern.slice(start.length)) && !dots.test(pattern);
  if (!isPlain || !URL.canParse(pattern.replaceAll(/[{}]/g, ""))) {
    throw refuse(`Enter an address that begins with https:// or http:// and a host, such as ${example}.`);
  }
  if (!pattern.includes("{path}")) {
    throw refuse(`The link needs {path}, which stands for the file, such as ${example}.`);
  }
  return pattern;
}

/** Normalizes the prefix of full paths before the path in the repository: with `/`, also at its end. */
export function codeRoot(text: string): string {
  const root = text.trim().replaceAll("\\", "/");
  const ended = root === "" || root.endsWith("/") ? root : `${root}/`;
  if (ended.length <= 255 && !/\p{Cc}/u.test(ended)) return ended;
  throw invalidField("code_root", "The source root has at most 255 characters and no line breaks, such as /srv/app/.");
}
