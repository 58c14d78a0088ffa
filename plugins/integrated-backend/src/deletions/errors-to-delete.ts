import { invalidField, type BackendCall } from "@faultline/plugin";
import { ErrorStatus, type CreateDeletionRequest } from "@faultline/proto";
import { errorRowId } from "../lists/errors.ts";
import type { ExpensiveReads } from "../lists/expensive-reads.ts";
import type { Storage } from "../storage.ts";
import { checkExpected, countMatching } from "./find.ts";
import { sliceErrors } from "./hide.ts";

/** The errors that a request deletes; refuses when there are none, or not the expected number. */
export async function errorsToDelete(
  { storage, expensive }: { readonly storage: Storage; readonly expensive: ExpensiveReads },
  { projectId, target }: CreateDeletionRequest,
  { call, now }: { readonly call: BackendCall; readonly now: number },
) {
  if (target.case === "errors") {
    const { errorIds } = target.value;
    if (errorIds.length === 0 || errorIds.length > sliceErrors) {
      throw invalidField("errors.error_ids", "Name 1 to 1,000 errors to delete, or delete all that match.");
    }
    if (new Set(errorIds).size !== errorIds.length) {
      throw invalidField("errors.error_ids", "Name each error once, by its decimal id.");
    }
    return { errorIds: errorIds.map(errorRowId), count: errorIds.length, lastErrorId: 0 };
  }
  if (target.case !== "matching") {
    throw invalidField(
      "errors",
      "Choose the errors to delete: name them, or give a search and the number of errors that you expect.",
    );
  }
  const { query, status, expectedCount } = target.value;
  if (status < ErrorStatus.UNSPECIFIED || status > ErrorStatus.IGNORED) {
    throw invalidField("matching.status", "Choose unresolved, resolved or ignored, or none for all.");
  }
  if (expectedCount === 0) {
    throw invalidField("matching.expected_count", "Give the number of errors that you expect to delete.");
  }
  const newest = await storage.read
    .selectFrom("integrated_error")
    .select(({ fn }) => fn.max("id").as("id"))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  const lastErrorId = newest?.id ?? 0;
  const wanted = { projectId, query, status, lastErrorId, now };
  const count = await expensive.take(call, {
    projectId,
    advice: "Delete fewer errors at a time: search by a key, such as type:TypeError or environment:production.",
    run: (limits) => countMatching(storage, wanted, limits),
  });
  checkExpected({ found: count, expected: expectedCount, field: "matching.expected_count" }, ["delete", "deleted"]);
  return { errorIds: undefined, count, lastErrorId };
}
