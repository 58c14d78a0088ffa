import type { Tried } from "../channels/call-channel.ts";
import { cleanLine } from "@faultline/plugin/text";

/** The fields of a nodemailer failure (its errors.d.ts). */
export interface SmtpFailure {
  /** Such as EAUTH, EENVELOPE, ETLS. */
  readonly code?: string;
  /** The operating system's code of the cause, such as ECONNREFUSED. */
  readonly originalCode?: string;
  /** The server's reply code. */
  readonly responseCode?: number;
  readonly response?: string;
}

/** The outcome of a mail. */
export interface MailTried extends Tried {
  /** The fault that stops all mails. Undefined if there is none, or if only this mail was refused. */
  readonly serverFault?: "login" | "other";
}

const shown = 500;

/**
 * The outcome after a failure. `isHandedOver` means that the server had begun to take the text, so it may have the
 * mail.
 */
export function failedMail(failure: SmtpFailure, isHandedOver: boolean): MailTried {
  const { code = "", responseCode = 0, response = "" } = failure;
  const said = cleanLine(response, shown);
  const answer = code === "ETLS" ? `${sentenceOf(failure)} ${said}`.trim() : said || sentenceOf(failure);
  const tried = { httpStatus: responseCode, answer };
  if (isLoginRefused(failure)) {
    return { ...tried, outcome: { is: "retry" }, answer: `${loginRefused} ${said}`.trim(), serverFault: "login" };
  }
  if (code === "EENVELOPE" || code === "EMESSAGE") {
    if (responseCode >= 400 && responseCode < 500) return { ...tried, outcome: { is: "retry" } };
    return { ...tried, outcome: { is: "drop", reason: `The mail server refused the e-mail. ${answer}` } };
  }
  const outcome = isHandedOver && responseCode === 0 ? ({ is: "unknown" } as const) : ({ is: "retry" } as const);
  return { ...tried, outcome, serverFault: "other" };
}

/** 530 means that a login is required (RFC 4954, 6). 454 is a temporary failure. */
const isLoginRefused = ({ code, responseCode = 0 }: SmtpFailure) =>
  responseCode === 530 || ((code === "EAUTH" || code === "ENOAUTH") && (responseCode === 0 || responseCode >= 500));

const loginRefused = "The mail server refuses the user name and password.";

function sentenceOf({ code = "", originalCode = "" }: SmtpFailure): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(originalCode)) {
    return `The mail server's certificate is not valid for its name, or its authority is not known (${originalCode}).`;
  }
  if (originalCode === "ECONNREFUSED") return "The mail server refused the connection.";
  return sentences[code] ?? "The connection to the mail server broke.";
}

const sentences: Readonly<Record<string, string>> = {
  EDNS: "The mail server's name was not found.",
  ETIMEDOUT: "The mail server did not answer in time.",
  EABORT: "The mail server did not answer in time.",
  ETLS: "The mail server offers no encryption (STARTTLS), or encryption failed. Nothing was sent.",
  EPROTOCOL: "The mail server did not answer in SMTP.",
  EENVELOPE: "The address cannot receive e-mail.",
};
