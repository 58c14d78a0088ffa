import type { Case } from "./case.ts";
import { breakdownCases } from "./cases/breakdown.ts";
import { capabilityCases } from "./cases/capabilities.ts";
import { codeLinkCases } from "./cases/code-links.ts";
import { errorCases } from "./cases/errors.ts";
import { eventCases } from "./cases/events.ts";
import { getErrorsCases } from "./cases/get-errors.ts";
import { listCases } from "./cases/lists.ts";
import { statsCases } from "./cases/stats.ts";
import { updateCases } from "./cases/updates.ts";

/** The behaviour that backends share. */
export const cases: readonly Case[] = [
  ...listCases,
  ...errorCases,
  ...getErrorsCases,
  ...statsCases,
  ...eventCases,
  ...breakdownCases,
  ...updateCases,
  ...capabilityCases,
  ...codeLinkCases,
];
