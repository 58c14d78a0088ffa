import type { Message } from "../messages/message.ts";
import { cleanLine } from "@faultline/plugin/text";
import { htmlPart } from "./render/html-part.ts";
import type { Letter } from "./render/letter.ts";
import { textPart } from "./render/text-part.ts";

/** A mail to one person, before it is encoded. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly date: Date;
  /** Printable ASCII, less than a line of 998 characters. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail of a letter. `uid` is the same in each try; `host` is that of the console's address. */
export const composeMail = (
  letter: Letter,
  { to, uid, host, at, headers = {} }: { to: string; uid: string; host: string; at: number; headers?: Mail["headers"] },
): Mail => ({
  to,
  subject: letter.subject,
  text: textPart(letter),
  html: htmlPart(letter),
  messageId: `<d.${uid}@${host}>`,
  date: new Date(at),
  // RFC 3834, 5, and Exchange's own: nobody's automatic reply is wanted.
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...headers },
});

/**
 * The headers of a mail about errors: its thread (all mails of an error refer to the same id), its list (RFC 2919), and the way
 * out of it by one click (RFC 8058).
 */
export function listHeaders(
  { kind, project, errorId, thread }: Message,
  { projectId, host, unsubscribeUrl }: { projectId: number; host: string; unsubscribeUrl: string },
): Record<string, string> {
  const id = `<e.${thread.replaceAll(/[^\w.-]/g, "_").slice(0, 200)}@${host}>`;
  return {
    ...(errorId !== "" && { "In-Reply-To": id, References: id, "X-Faultline-Error": inHeader(errorId) }),
    "List-ID": `"${inHeader(project)}" <p${projectId}.${host}>`,
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "X-Faultline-Project": inHeader(project),
    "X-Faultline-Reason": kind,
  };
}

/** Without marks that mean something in a header; paths of projects have none. */
const inHeader = (text: string): string => cleanLine(text, 200).replaceAll(/[^\w./@+ -]/g, "_");
