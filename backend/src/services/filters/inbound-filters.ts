import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { InboundFiltersSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

/** Lists hold one entry per line. */
export const InboundFilterEntity = defineEntity({
  name: "InboundFilter",
  tableName: "inbound_filter",
  properties: {
    projectId: p.integer().primary(),
    addresses: p.text(),
    releases: p.text(),
    environments: p.text(),
    messages: p.text(),
    types: p.text(),
    webCrawlers: p.boolean(),
    oldBrowsers: p.boolean(),
    browserExtensions: p.boolean(),
    localhost: p.boolean(),
    spikeProtection: p.boolean(),
    /**
     * Spikes are not sampled before this time: a project older than the counting of its events has no usual day yet.
     */
    spikesSampledFrom: p.bigint("number"),
    revision: p.integer(),
    updatedAt: p.bigint("number"),
  },
});
export type InboundFilterRow = InferEntity<typeof InboundFilterEntity>;

export function filtersToProto(row: InboundFilterRow): MessageInitShape<typeof InboundFiltersSchema> {
  const { projectId, webCrawlers, oldBrowsers, browserExtensions, localhost, spikeProtection, revision } = row;
  return {
    projectId,
    addresses: entriesOf(row.addresses),
    releases: entriesOf(row.releases),
    environments: entriesOf(row.environments),
    messages: entriesOf(row.messages),
    types: entriesOf(row.types),
    webCrawlers,
    oldBrowsers,
    browserExtensions,
    localhost,
    spikeProtection,
    revision,
    ...(row.updatedAt > 0 && { updatedTime: timestamp(row.updatedAt) }),
  };
}

/** The entries of a list from its column: one per line because entries contain no line breaks. */
export function entriesOf(column: string): string[] {
  return column === "" ? [] : column.split("\n");
}
