import { dayMs, type Host } from "@faultline/plugin";
import type { Tables } from "../tables.ts";
import type { Artifact } from "./artifacts.ts";

type UsedArtifact = Pick<Artifact, "bundleId" | "usedAt">;

/**
 * Notes once a day that bundles are used, as those that map nothing are deleted. Nobody waits for it: events are also read while
 * the database takes no writes.
 */
export function noteUse(host: Host, artifacts: readonly UsedArtifact[]): void {
  write(host, artifacts).catch((error: unknown) =>
    host.log.warn({ err: error }, "the use of source maps could not be noted"),
  );
}

async function write({ database, clock }: Host, artifacts: readonly UsedArtifact[]): Promise<void> {
  const now = clock.now();
  const due = new Set(
    artifacts.filter(({ usedAt }) => usedAt === null || usedAt < now - dayMs).map(({ bundleId }) => bundleId),
  );
  if (due.size === 0) return;
  await database
    .write<Tables>()
    .updateTable("source_bundle")
    .set({ used_at: now })
    .where("id", "in", [...due])
    .execute();
}
