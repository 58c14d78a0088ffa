import type { Config } from "../../config.ts";

/** What a service without FAULTLINE_BASE_URL listens on for all addresses of its machine, of which none is known. */
const anyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::", "::0", ""]);

/**
 * The origin by which tools reach the installation, from the address that people use. Undefined: it is not known, as the
 * service listens on all addresses of its machine and FAULTLINE_BASE_URL is not set.
 */
export function publicOrigin(
  { baseUrl, http }: { baseUrl: string | undefined; http: Pick<Config["http"], "host"> },
  url: string,
): string | undefined {
  if (baseUrl === undefined && anyAddress.has(http.host)) return undefined;
  return URL.parse(url)?.origin;
}
