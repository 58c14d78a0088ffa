import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OwnErrorReportingSchema } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { VersionStanding } from "../../host/own-errors/version-standing.ts";

export const OwnErrorReportingEntity = defineEntity({
  name: "OwnErrorReporting",
  tableName: "own_error_reporting",
  properties: {
    /** Always 1. */
    id: p.integer().primary(),
    enabled: p.boolean(),
    /** Encrypted; null if there is none. */
    dsn: p.text().nullable(),
    environment: p.string(),
    externalVersion: p.string(),
  },
});
export type OwnErrorReportingRow = InferEntity<typeof OwnErrorReportingEntity>;

/** Only environment, version and switch come from the row; `dsn` is the masked DSN. */
export function ownErrorReportingToProto(
  row: Pick<OwnErrorReportingRow, "enabled" | "environment" | "externalVersion">,
  shown: {
    dsn: string;
    version: VersionStanding;
    suggested: { id: number; path: string } | undefined;
    counts: { reported: number; leftOut: number };
  },
): MessageInitShape<typeof OwnErrorReportingSchema> {
  return {
    enabled: row.enabled,
    dsn: shown.dsn,
    environment: row.environment,
    externalVersion: row.externalVersion,
    externalVersionNotice: shown.version.notice,
    externalVersionSource: shown.version.source,
    askedVersion: shown.version.asked,
    suggestedProjectId: shown.suggested?.id ?? 0,
    suggestedProjectPath: shown.suggested?.path ?? "",
    reportedCount: BigInt(shown.counts.reported),
    leftOutCount: BigInt(shown.counts.leftOut),
  };
}
