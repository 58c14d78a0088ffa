import { cleanLine } from "@faultline/plugin/text";
import { type Fact, headOf, type Level, type Line, type Message } from "../messages/message.ts";

const parts = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** A time for a person: `25 Nov 2026, 11:00 CET (10:00 UTC)`. An unknown zone counts as UTC. */
export function localTime(at: number, zone: string): string {
  const utc = wordsOf(at, "UTC");
  if (zone === "UTC" || !isZone(zone)) return `${utc.day}, ${utc.time} UTC`;
  const local = wordsOf(at, zone);
  const inUtc = local.day === utc.day ? utc.time : `${utc.day}, ${utc.time}`;
  return `${local.day}, ${local.time} ${local.zone} (${inUtc} UTC)`;
}

function wordsOf(at: number, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-GB", { ...parts, hourCycle: "h23", timeZone, timeZoneName: "short" });
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? "";
  return {
    day: `${of("day")} ${of("month")} ${of("year")}`,
    time: `${of("hour")}:${of("minute")}`,
    zone: of("timeZoneName"),
  };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: zone }).format(0) !== "";
  } catch {
    return false; // RangeError for an unknown zone
  }
}

const nothing = { place: "", lines: [], facts: [], note: "", level: "info" } as const;

/** The mail of a message about errors. Its subject stays the same for an error, so that mail readers show a thread. */
export function errorLetter(
  message: Message,
  { zone, unsubscribeUrl }: { zone: string; unsubscribeUrl: string },
): Letter {
  const { kind, headline, project, title, place, level, lines, facts, note, url, rule, at } = message;
  const isDigest = kind === "digest";
  const when: Fact = { label: "When", value: localTime(at, zone) };
  return {
    subject: cleanLine(`[${project}] ${isDigest ? headline : title}`, 200),
    head: headOf(message),
    title,
    place,
    level,
    lines,
    facts: [when, ...facts.map((fact) => inZone(fact, zone))],
    note,
    button: { label: isDigest ? "Open the errors" : "Open the error", url },
    foot: [
      rule === ""
        ? `You get this e-mail because you are a member of ${project}.`
        : `You get this e-mail because of the rule ${rule}.`,
    ],
    unsubscribe: { label: `Unsubscribe from ${project}`, url: unsubscribeUrl },
  };
}

/** The form in which factsOf writes a time. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const inZone = ({ label, value }: Fact, zone: string): Fact => ({
  label,
  value: isoTime.test(value) ? localTime(Date.parse(value), zone) : value,
});

/** The mail of the test button. */
export const testLetter = ({
  username,
  url,
  at,
  zone,
}: {
  username: string;
  url: string;
  at: number;
  zone: string;
}): Letter => ({
  ...nothing,
  subject: "[Faultline] Test e-mail",
  head: "Test e-mail from Faultline",
  title: "E-mail works: this test has arrived.",
  facts: [{ label: "Sent", value: localTime(at, zone) }],
  button: { label: "Open Faultline", url },
  foot: [`${username} requested it.`],
});

/** The mail with the link that confirms an address. */
export const confirmationLetter = ({ username, url }: { username: string; url: string }): Letter => ({
  ...nothing,
  subject: "[Faultline] Confirm your e-mail address",
  head: "Confirm your e-mail address",
  title: "Faultline sends e-mails about errors to this address once you confirm that it is yours.",
  button: { label: "Confirm the address", url },
  foot: [
    `The user ${username} entered this address. The link expires in a day.`,
    "If that was not you, ignore this e-mail: you will get no e-mails about errors unless you confirm.",
  ],
});

/** The content of a mail, in parts without markup. Addresses are ours; every other text may come from a stranger. */
export interface Letter {
  /** A single line. */
  readonly subject: string;
  /** What happened: `New error in acme/shop`. */
  readonly head: string;
  /** The subject of the message, such as the error's title. */
  readonly title: string;
  /** The place in the code. May be empty. */
  readonly place: string;
  readonly level: Level;
  readonly lines: readonly Line[];
  /** Times are already in words. */
  readonly facts: readonly Fact[];
  readonly note: string;
  readonly button: { readonly label: string; readonly url: string };
  /** Sentences at the end that say why the mail was sent. */
  readonly foot: readonly string[];
  /** The link that ends these mails. Undefined if people do not subscribe to the mail. */
  readonly unsubscribe?: { readonly label: string; readonly url: string };
}
