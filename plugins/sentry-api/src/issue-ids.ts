import { invalidField, type HttpAnswer } from "@faultline/plugin";
import type { ErrorStatus } from "@faultline/proto";
import type { ApiCall } from "./call.ts";
import { statusWord } from "./status.ts";

/** The maximum number of issue ids in one call. */
const maxIds = 100;

/** The issues that an update names by `id`. At least one is required: changing all issues in one call is refused. */
export function idsOf({ query }: ApiCall): string[] {
  const ids = query.getAll("id");
  if (ids.length === 0) throw invalidField("id", "You must specify a list of IDs for this operation");
  return checkedIds("id", ids);
}

/** Valid ids of issues, without duplicates. */
export function checkedIds(name: string, sent: readonly string[]): string[] {
  const ids = [...new Set(sent)];
  if (ids.length > maxIds) throw invalidField(name, `At most ${maxIds} issues can be named at a time.`);
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) throw invalidField(name, "Invalid id: ids of issues are numbers.");
  return ids;
}

/** Sets the status of issues in one project and returns how many issues it found. */
export async function update(
  call: ApiCall,
  { projectId, ids, status }: { projectId: number; ids: readonly string[]; status: ErrorStatus },
): Promise<number> {
  const changes = ids.map((errorId) => ({ errorId, status }));
  const { errors } = await call.core.errors.updateErrors({ projectId, changes }, call);
  return errors.length;
}

/** Returns the fields that were set, and nothing if no issue matched, like the original. */
export function changed(count: number, status: ErrorStatus): HttpAnswer {
  if (count === 0) return { status: 204 };
  return { status: 200, body: { status: statusWord(status), statusDetails: {}, inbox: null } };
}
