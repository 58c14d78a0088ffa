import { readdirSync } from "node:fs";
import type { GrpcClient } from "../core/grpc.ts";

/**
 * What a plugin keeps of projects, for the tests that go through everything that is stored: moves, backups, fixtures of releases,
 * and calls from other projects. A file `<name>.sample.ts` in this folder adds a sample.
 */
export interface Sample {
  /** Makes one in a project. Returns its ids by the names of their fields, such as `savedSearchId`. */
  make(client: GrpcClient, of: { projectId: number; errorId: string }): Promise<Readonly<Record<string, string>>>;
  /** Everything that the project has, as the public API returns it. `errorIds`: the errors that are stored here. */
  read(client: GrpcClient, of: { projectId: number; errorIds: readonly string[] }): Promise<unknown>;
}

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".sample.ts"));

/** All samples by their names. */
export const samples: ReadonlyMap<string, Sample> = new Map(
  await Promise.all(
    files.toSorted().map(async (file) => {
      const { default: sample } = (await import(`./${file}`)) as { default: Sample };
      return [file.replace(".sample.ts", ""), sample] as const;
    }),
  ),
);

/** Makes each sample once. Returns all their ids. */
export async function makeSamples(
  client: GrpcClient,
  of: { projectId: number; errorId: string },
): Promise<Readonly<Record<string, string>>> {
  let ids: Readonly<Record<string, string>> = {};
  for (const sample of samples.values()) ids = { ...ids, ...(await sample.make(client, of)) };
  return ids;
}
