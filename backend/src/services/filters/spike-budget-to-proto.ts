import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { SpikeBudgetSchema } from "@faultline/proto";
import type { InboundFilterRow } from "./inbound-filters.ts";
import type { Budget } from "./spike-protection.ts";

/** The budget is not in the row: it is this process's view of it. */
export function spikeBudgetToProto(
  { total, left, usualDay }: Budget,
  { spikesSampledFrom }: Pick<InboundFilterRow, "spikesSampledFrom">,
  now: number,
): MessageInitShape<typeof SpikeBudgetSchema> {
  return {
    totalCount: BigInt(Math.floor(total)),
    leftCount: BigInt(left),
    usualDayCount: BigInt(usualDay),
    ...(spikesSampledFrom > now && { beginsTime: timestamp(spikesSampledFrom) }),
  };
}
