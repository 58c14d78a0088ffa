import { maxTokenLength } from "./tokens.ts";

/**
 * The claims of a token in the format of Sentry's tools. They are hints for the tools; the service trusts none of them.
 */
export interface TokenClaims {
  /**
   * The public address of the installation, such as `https://errors.example.com`, which tools use instead of
   * SENTRY_URL.
   */
  readonly origin: string;
  /** The organization that tools use instead of SENTRY_ORG. */
  readonly organization: string;
  /** When the token was made, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * A personal access token in the format that Sentry's tools use for builds (getsentry/rfcs 0091):
 * `sntrys_<claims>_<secret>`. Undefined if the token does not fit the format (an operator chose it) or would become too
 * long.
 */
export function sentrySpelling(token: string, { origin, organization, now }: TokenClaims): string | undefined {
  const [, secret] = /^flp_([0-9A-Za-z]{42})$/.exec(token) ?? [];
  if (secret === undefined) return undefined;
  const claims = { iat: now / 1000, url: origin, region_url: origin, org: organization };
  const spelling = `${prefix}${Buffer.from(JSON.stringify(claims)).toString("base64")}_${secret}${filling}`;
  return spelling.length > maxTokenLength ? undefined : spelling;
}

/** The plain form of a token that a caller sent. Tokens in another format are returned unchanged. */
export function plainSpelling(sent: string): string {
  const [, secret] = spelled.exec(sent) ?? [];
  return secret === undefined ? sent : `flp_${secret}`;
}

const prefix = "sntrys_";

/**
 * sentry-cli 2.58.6 and 3.8.0 want a secret of 32 bytes in base64 without padding: 43 characters. The 42 characters of
 * a token are valid base64, so this character fills them up. It encodes zero bits because the last two bits of 43
 * characters must be 0.
 */
const filling = "A";

const spelled = new RegExp(`^${prefix}[0-9A-Za-z+/]+={0,2}_([0-9A-Za-z]{42})${filling}$`);

/** Wildcard addresses that a service without FAULTLINE_BASE_URL may listen on; they reveal no public address. */
const anyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::", "::0", ""]);

/**
 * The origin by which tools reach the installation, from the address that people use. Undefined if it is unknown
 * because the service listens on all addresses of its machine and FAULTLINE_BASE_URL is not set.
 */
export function publicOrigin(
  { baseUrl, http }: { baseUrl: string | undefined; http: { readonly host: string } },
  url: string,
): string | undefined {
  if (baseUrl === undefined && anyAddress.has(http.host)) return undefined;
  return URL.parse(url)?.origin;
}
