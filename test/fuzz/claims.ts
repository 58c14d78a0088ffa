import { bodyClaims } from "./bodies.ts";
import type { Claim } from "./claim.ts";
import { groupingClaims } from "./grouping.ts";
import { rateLimitClaims } from "./rate-limits.ts";
import { readerClaims } from "./readers.ts";

/** All that can be tried without a service. */
export const claims: readonly Claim[] = [...bodyClaims, ...readerClaims, ...rateLimitClaims, ...groupingClaims];
