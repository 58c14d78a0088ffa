import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The bundles with the names of those who uploaded them. */
export function selectBundles(tables: Kysely<Tables>) {
  return tables
    .selectFrom("source_bundle as bundle")
    .leftJoin("user", "user.id", "bundle.user_id")
    .selectAll("bundle")
    .select("user.username");
}
