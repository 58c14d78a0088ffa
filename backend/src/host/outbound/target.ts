/** The destination of a request, from its URL. */
export interface Target {
  readonly isTls: boolean;
  /** An IP address without brackets, or a name in lower case without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** Host and port in the form of the header `Host`. */
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
}

const maxLength = 2048;

/** A name of letters, digits, `-` and `_`, with a dot at its end or without, or an IPv6 address without a zone. */
const hostAndPort = /^(?:(?:[a-z0-9_-]{1,63}\.){0,127}[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Reads the URL of a request; undefined for one that two parsers could understand differently. The raw text is judged
 * first, since parsing deletes tabs and line breaks, reads `\` as `/`, unescapes hosts and resolves `..`.
 */
export function readTarget(text: string): Target | undefined {
  if (text.length > maxLength || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[@\\#]/.test(text)) return undefined;
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)([^?]*)/i.exec(text) ?? [];
  const url = URL.parse(text);
  if (url === null || !hostAndPort.test(authority) || (path !== "" && path !== url.pathname)) return undefined;
  const host = url.hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
  if (host.length > 253) return undefined;
  const isTls = url.protocol === "https:";
  return {
    isTls,
    host,
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    authority: url.host.replace(/\.(?=:|$)/, ""),
    path: url.pathname + url.search,
  };
}
