/** Methods that change nothing. */
export const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a page of ours made a request that may change something: browsers name its origin in every such request, and
 * newer ones their own verdict in Sec-Fetch-Site. Other sites can neither leave these headers out nor forge them.
 */
export function isFromOwnPage({ headers }: Request, origin: string): boolean {
  return headers.get("origin") === origin && !isFromOtherSite(headers);
}

/** Whether the browser says that another site, a sub-domain or a bookmark made the request. */
export function isFromOtherSite(headers: Headers): boolean {
  return (headers.get("sec-fetch-site") ?? "same-origin") !== "same-origin";
}
