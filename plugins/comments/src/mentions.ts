import { invalidField, type Host, type NotificationKind, type Reader } from "@faultline/plugin";
import { CommentBlock_Kind as Kind } from "@faultline/proto";
import { readMarkdown } from "./markdown.ts";

export const notifies: readonly NotificationKind[] = [
  {
    kind: "comment",
    label: "Comments",
    headline: "New comment",
    counted: ["new comment", "new comments"],
    audience: "subscribers",
  },
  {
    kind: "mention",
    label: "Mentions in comments",
    headline: "You were mentioned",
    counted: ["mention", "mentions"],
    audience: "named",
  },
];

/** Maximum people that a comment may mention. */
const mostMentions = 20;

/** The people that a text mentions as `@username` outside of code, if they may read the errors of the project. */
export async function mentionedIn(text: string, projectId: number, { readers }: Host): Promise<readonly Reader[]> {
  const names = namesIn(text);
  if (names.size === 0) return [];
  const found = (await readers.of(projectId)).filter(({ username }) => names.has(username.toLowerCase()));
  if (found.length <= mostMentions) return found;
  throw invalidField(
    "text",
    `A comment mentions at most ${mostMentions} people. This comment mentions ${found.length}.`,
  );
}

/**
 * The names after an @ outside of code, in lower case. A final full stop or hyphen may belong to a name, so both
 * readings count.
 */
export function namesIn(text: string): ReadonlySet<string> {
  const plain = readMarkdown(text)
    .filter(({ kind }) => kind !== Kind.CODE)
    .map(({ spans }) => spans.map((span) => (span.code || span.url ? " " : span.text)).join(""))
    .join("\n");
  const names = Array.from(plain.matchAll(/(?<![\w@.-])@(\w[\w.-]{1,254})/g), ([, name = ""]) => name.toLowerCase());
  return new Set(names.flatMap((name) => [name, name.replace(/[.-]+$/, "")]));
}
