/** Methods that change nothing. */
export const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether our own page made a request that may change data. Browsers name its origin in every such request, and newer
 * browsers add their own verdict in Sec-Fetch-Site. Other sites can neither omit nor forge these headers.
 */
export function isFromOwnPage({ headers }: Request, origin: string): boolean {
  return headers.get("origin") === origin && !isFromOtherSite(headers);
}

/** Whether the browser says that another site, a subdomain or a bookmark made the request. */
export function isFromOtherSite(headers: Headers): boolean {
  return (headers.get("sec-fetch-site") ?? "same-origin") !== "same-origin";
}
