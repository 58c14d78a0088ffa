import { type ErrorEvent, ExceptionRole, type GroupingException, type GroupingFrame } from "@faultline/proto";
import { faultTree, mainException } from "../exceptions.ts";
import { faultParts, noteText, reachOf, stackParts, type StackReading, type Reach } from "./fault-parts.ts";
import { parametrise } from "./parametrise.ts";
import { counted, left, type GroupingReason, type Notes, type TakenReasons } from "./reasons.ts";

/** How a group is read. */
export interface GroupReading {
  /** Takes the reasons; undefined if nobody asked, which costs nothing. */
  readonly notes?: Notes;
  /** Whether source lines count; without them two places of one function are one. */
  readonly withLine?: boolean;
}

/**
 * The parts that identify the error of an event, in version 2 of grouping: the application's fingerprint, otherwise a rule of our
 * own, otherwise the kind of its exceptions and their place in own code, otherwise the stack with the message, otherwise the
 * message. Values, positions, paths and what builds and runtimes generate stay out, unless the place has no name.
 */
export function groupParts(event: ErrorEvent, { notes, withLine = true }: GroupReading = {}): string[] {
  return fingerprintParts(event, { notes, withLine }) ?? defaultParts(event, { notes, withLine });
}

/** The parts that identify the error of an event, and each part that grouping looked at, in its order. */
export interface ExplainedGroup {
  /** See groupParts. */
  readonly parts: readonly string[];
  readonly reasons: readonly GroupingReason[];
}

/** Why an event is in its group. `show` hides the secrets of a text if the reader may not see them. */
export function explainGroup(event: ErrorEvent, show: (text: string) => string = (text) => text): ExplainedGroup {
  const notes: TakenReasons = { reasons: [], show };
  return { parts: groupParts(event, { notes }), reasons: notes.reasons };
}

type Reading = Required<GroupReading>;

function defaultParts(event: ErrorEvent, { notes, withLine }: Reading): string[] {
  const { platform, exceptions, frames } = event;
  const root = faultTree(exceptions);
  const stacks = exceptions.map((exception) => exception.frames);
  const hasOwnStack = stacks.some((stack) => stack.length > 0);
  const reach = reachOf(hasOwnStack ? stacks : [frames]);
  const reading: StackReading = { platform, reach, withLine, notes };
  if (root) {
    const rule = builtInRule(root.exception, event, reach);
    if (rule) {
      counted(notes, "rule", { sent: rule.parts.join(", "), part: rule.parts.join("\u001f"), form: whole }, rule.why);
      return ["built-in", ...rule.parts];
    }
    const noted = notes?.reasons.length ?? 0;
    notePlatform(event, notes);
    noteAside(event, notes);
    const parts = faultParts(root, reading);
    // The stack of a crash may be the stack of its thread.
    const ofThread = hasOwnStack ? [] : stackParts(frames, { ...reading, withLine: false }).parts;
    if (parts.some((part) => part > "\u001f") || ofThread.length > 0)
      return ["exception", platform, ...parts, ...ofThread];
    notes?.reasons.splice(noted); // the exceptions say nothing
  }
  return messageParts(event, reading);
}

function messageParts(event: ErrorEvent, reading: StackReading) {
  const { platform, frames, message, messageTemplate, level } = event;
  const { notes } = reading;
  const sent = messageTemplate || message;
  const said = sent === "" ? "" : parametrise(sent);
  notePlatform(event, notes);
  if (sent !== "") {
    const why =
      messageTemplate === "" ? "The message counts." : "The message counts before its parameters were filled in.";
    noteText(notes, "message", { sent, said, why });
  }
  const { parts } = stackParts(frames, { ...reading, reach: reachOf([frames]), withLine: false });
  if (sent !== "") return ["message", platform, said, ...parts];
  if (parts.length > 0) return ["stack", platform, ...parts];
  counted(notes, "level", { sent: level, part: level }, "Nothing else is known of the event.");
  return ["unlabeled", platform, level];
}

function notePlatform({ platform }: ErrorEvent, notes: Notes): void {
  counted(notes, "platform", { sent: platform, part: platform }, "Errors of two platforms are never the same.");
}

function noteAside({ exceptions }: ErrorEvent, notes: Notes): void {
  if (!notes) return;
  for (const { role, type } of exceptions) {
    if (role === ExceptionRole.ASIDE)
      left(notes, "exception", type, "It was suppressed, or only describes another exception.");
  }
}

const whole = (text: string) => text;

const defaultVariable = /^\{\{\s*default\s*\}\}$/;
const most = { parts: 16, characters: 256 };

function fingerprintParts(event: ErrorEvent, reading: Reading): string[] | undefined {
  if (event.fingerprint.length === 0) return undefined;
  const sent = event.fingerprint.filter((part) => part !== "").slice(0, most.parts);
  if (sent.every((part) => defaultVariable.test(part))) return undefined;
  if (!sent.some((part) => defaultVariable.test(part))) noteReplaced(event, reading.notes);
  return [
    "fingerprint",
    ...sent.map((part) => {
      if (defaultVariable.test(part)) return `\u0002${defaultParts(event, reading).join("\u0002")}`;
      const text = filledIn(event, part).slice(0, most.characters);
      const form = () => reading.notes?.show(filledIn(event, part, reading.notes.show)) ?? "";
      counted(
        reading.notes,
        "fingerprint",
        { sent: part, part: text, form },
        "The application chose this fingerprint.",
      );
      return text;
    }),
  ];
}

function noteReplaced({ exceptions, message }: ErrorEvent, notes: Notes): void {
  const main = mainException(exceptions);
  const why = "The application chose a fingerprint, so nothing else counts.";
  if (main) left(notes, "exception", main.type || main.value, why);
  else left(notes, "message", message, why);
}

/** A fingerprint part with its variable, such as `{{ transaction }}`, filled in; other parts as they are. */
function filledIn(event: ErrorEvent, part: string, show = (text: string) => text): string {
  const name = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(part)?.[1];
  const main = mainException(event.exceptions);
  const frame = main?.frames.at(-1);
  switch (name) {
    case undefined:
      return part;
    case "type":
    case "error.type":
      return main?.type ?? "";
    case "value":
    case "error.value":
      return main?.value ?? "";
    case "transaction":
      return event.groupingCulprit ?? event.culprit;
    case "function":
    case "stack.function":
      return frame?.function ?? "";
    case "module":
    case "stack.module":
      return frame?.module ?? "";
    case "level":
      return event.level;
    case "logger":
      return event.logger;
    case "message":
      return parametrise(show(event.messageTemplate || event.message || (main?.value ?? "")));
    default:
      return name.startsWith("tags.") ? tagOf(event, name.slice("tags.".length)) : part;
  }
}

function tagOf({ groupingTags, tags }: ErrorEvent, key: string): string {
  return groupingTags[key] ?? tags[key] ?? "";
}

/** Faults that are one error wherever they happen: our rules replace the application's fingerprint. */
interface BuiltIn {
  readonly parts: readonly string[];
  readonly why: string;
}

/** The rule that an event falls under. Undefined for nearly all events. */
function builtInRule(
  main: GroupingException,
  { platform }: Pick<ErrorEvent, "platform">,
  reach: Reach,
): BuiltIn | undefined {
  if (platform === "javascript" && isFailedImport(main)) {
    return {
      parts: ["failed import"],
      why: "A part of the application could not be loaded, for example after a deployment. All such failures are one error.",
    };
  }
  if (reach === "application" || !isTimeout(main)) return undefined;
  const client = main.frames.findLast((frame) => clientOf(frame) !== "");
  if (!client) return undefined;
  return {
    parts: ["timeout", main.type, clientOf(client)],
    why: `All timeouts of ${clientOf(client)} without a frame of the application are one error, wherever the library waited.`,
  };
}

/** As webpack, Vite and the browsers say it. */
const failedImport =
  /^Loading (?:CSS )?chunk \S{1,100} failed|^(?:Failed to fetch|error loading) dynamically imported module|^Importing a module script failed|^Unable to preload CSS for |^'text\/html' is not a valid JavaScript MIME type/i;

const isFailedImport = ({ type, value }: GroupingException) =>
  type === "ChunkLoadError" || failedImport.test(value.replace(/^ChunkLoadError: /, ""));

const isTimeout = ({ type, value }: GroupingException) =>
  /time(?:d_?)?out/i.test(type) || /\bE(?:SOCKET)?TIMEDOUT\b/.test(value);

/** The package of a client library, by the path or the module of one of its frames. */
function clientOf({ module, filename }: GroupingFrame): string {
  const path = /(?:node_modules|vendor|site-packages|dist-packages)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(
    filename,
  )?.[1];
  if (path !== undefined) return path;
  const gem = /[\\/]gems[\\/]([^\\/]+?)-\d[^\\/]*[\\/]/.exec(filename)?.[1];
  if (gem !== undefined) return gem;
  if (module.includes("/")) return module.split("/", 3).join("/"); // Go
  const names = module.split(/[.:]/);
  return names.length < 2 ? "" : names.slice(0, /^(?:com|org|io|net|dev)$/.test(names[0] ?? "") ? 3 : 1).join(".");
}
