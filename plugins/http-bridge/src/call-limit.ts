import type { Call, CallAllowance } from "@faultline/plugin";
import type { RequestContext } from "./request-context.ts";

/**
 * Takes a call, or several, from the limits of its token and person and reports the remainder in the response headers, or refuses
 * it.
 */
export async function spendCall({ host, response }: RequestContext, call: Call, count = 1): Promise<void> {
  const allowance = await host.access.spend(call, count);
  if (!allowance) return;
  for (const [name, value] of Object.entries(limitHeaders(allowance, host.clock.now())))
    response.setHeader(name, value);
  if (allowance.refusal) throw allowance.refusal;
}

/**
 * Two forms of the same: the headers that GitLab sends (docs.gitlab.com, "User and IP rate limits", Response headers), whose
 * reset is a time in seconds since 1970; and the fields of draft-ietf-httpapi-ratelimit-headers-10, whose `t` are seconds.
 */
export function limitHeaders(allowance: CallAllowance, now: number): Readonly<Record<string, string>> {
  const { name, limit, remaining, resetSeconds, policies } = allowance;
  return {
    "RateLimit-Limit": `${limit}`,
    "RateLimit-Name": name,
    "RateLimit-Observed": `${limit - remaining}`,
    "RateLimit-Remaining": `${remaining}`,
    "RateLimit-Reset": `${Math.ceil(now / 1000) + resetSeconds}`,
    "RateLimit-Policy": policies.map((policy) => `"${policy.name}";q=${policy.limit};w=${policy.seconds}`).join(", "),
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}
