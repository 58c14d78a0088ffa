import { maxTokenLength } from "./tokens.ts";

/** What a token says in the spelling of Sentry's tools. Hints: the service believes none of it. */
export interface TokenClaims {
  /** The public address of the installation, such as `https://errors.example.com`; tools call it in place of SENTRY_URL. */
  readonly origin: string;
  /** Tools name it in place of SENTRY_ORG. */
  readonly organization: string;
  /** When the token was made, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * A personal access token as Sentry's tools spell those for builds (getsentry/rfcs 0091): `sntrys_<claims>_<secret>`.
 * Undefined: the token has no such spelling, as one that an operator chose, or it would be longer than tokens may be.
 */
export function sentrySpelling(token: string, { origin, organization, now }: TokenClaims): string | undefined {
  const [, secret] = /^flp_([0-9A-Za-z]{42})$/.exec(token) ?? [];
  if (secret === undefined) return undefined;
  const claims = { iat: now / 1000, url: origin, region_url: origin, org: organization };
  const spelling = `${prefix}${Buffer.from(JSON.stringify(claims)).toString("base64")}_${secret}${filling}`;
  return spelling.length > maxTokenLength ? undefined : spelling;
}

/** The token that a caller sent, in its plain spelling: what is not spelled for Sentry's tools stays as it is. */
export function plainSpelling(sent: string): string {
  const [, secret] = spelled.exec(sent) ?? [];
  return secret === undefined ? sent : `flp_${secret}`;
}

const prefix = "sntrys_";

/**
 * sentry-cli 2.58.6 and 3.8.0 want the secret to be 32 bytes in base64 without padding, 43 characters. The 42 of a token are
 * characters of base64 too; this one fills them up, and stands for bits that are 0, as the last two of 43 characters must be.
 */
const filling = "A";

const spelled = new RegExp(`^${prefix}[0-9A-Za-z+/]+={0,2}_([0-9A-Za-z]{42})${filling}$`);

/** What a service without FAULTLINE_BASE_URL listens on for all addresses of its machine, of which none is known. */
const anyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::", "::0", ""]);

/**
 * The origin by which tools reach the installation, from the address that people use. Undefined: it is not known, as the
 * service listens on all addresses of its machine and FAULTLINE_BASE_URL is not set.
 */
export function publicOrigin(
  { baseUrl, http }: { baseUrl: string | undefined; http: { readonly host: string } },
  url: string,
): string | undefined {
  if (baseUrl === undefined && anyAddress.has(http.host)) return undefined;
  return URL.parse(url)?.origin;
}
