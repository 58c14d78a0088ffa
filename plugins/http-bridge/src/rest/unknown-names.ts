import { ParameterFault, type Parameters, type RestOperation, type Sent } from "@faultline/plugin/rest";

/** What GitLab has as well, below the same addresses: its clients send parameters that do not exist here. */
const ofGitlab =
  /^\/(users|projects|member_roles|personal_access_tokens|metadata|version|audit_events)(\/:\w+)?(\/(self|rotate|block|unblock|restore|members|invitations|error_tracking\/(settings|client_keys)).*)?$/;

/**
 * Whether names that an operation does not have are refused: where it deletes something, and where it changes something
 * that GitLab does not have. There a name that is not understood, such as `dry_run`, may be what its sender relies on.
 */
export function isStrict({ verb, path }: Pick<RestOperation, "verb" | "path">): boolean {
  return verb === "DELETE" || (verb !== "GET" && !ofGitlab.test(path));
}

/** Refuses what an operation does not know, with the name that is meant. */
export function refuseUnknown(params: Parameters, sent: Sent): void {
  const known = Object.keys(params);
  for (const name of Object.keys(sent)) {
    if (known.includes(name)) continue;
    const [nearest] = known
      .map((one) => [one, changesBetween(one, name.slice(0, 64))] as const)
      .filter(([one, changes]) => changes <= Math.max(2, one.length / 3) || one.startsWith(name))
      .toSorted(([, one], [, other]) => one - other);
    const advice =
      known.length === 0
        ? "this call takes none"
        : nearest
          ? `did you mean ${nearest[0]}?`
          : `this call takes ${known.join(", ")}`;
    throw new ParameterFault(400, `${name.slice(0, 64)} is not a parameter of this call: ${advice}`);
  }
}

/** How many letters must be added, taken away or replaced to get from one name to the other (Levenshtein). */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
