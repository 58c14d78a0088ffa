/**
 * The commit that a release names; "" when it names none. SDKs and build tools send it alone, or behind a name and a
 * version: `web@<commit>`, `web@1.2.3+<commit>`, or as `git describe` writes it, `v1.2.3-4-g<commit>` (Sentry for Go).
 */
export function commitOf(release: string): string {
  const [, described] = /-\d+-g([0-9a-f]{7,64})$/.exec(release) ?? [];
  if (described !== undefined) return described;
  const last = release.slice(Math.max(release.lastIndexOf("@"), release.lastIndexOf("+")) + 1);
  return WHOLE.test(last) || (SHORT.test(last) && MIXED.test(last)) ? last : "";
}

/** SHA-1 and SHA-256. */
const WHOLE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

// Digits alone may be a build number or a date, and letters alone a word.
const SHORT = /^[0-9a-f]{7,12}$/;
const MIXED = /\d.*[a-f]|[a-f].*\d/;
