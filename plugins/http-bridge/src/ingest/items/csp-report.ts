import { asObject, limits, readText, type JsonField, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { maxEntries } from "../limits.ts";
import { isLeftAside, leftAside, type LeftAside } from "./left-aside.ts";

/** The parts of a CSP report request besides the reports. */
export interface CspSurroundings {
  /** `sentry_release` and `sentry_environment` of the query. */
  readonly release: string | null;
  readonly environment: string | null;
  readonly userAgent: string | undefined;
}

/**
 * Converts each report in a body to an event: `{"csp-report": {...}}` (CSP Level 2) or a list of reports (Reporting
 * API). Reports of other kinds, such as Expect-CT, are not stored.
 */
export function readCspReports(body: JsonValue, surroundings: CspSurroundings): (JsonObject | LeftAside)[] {
  if (!Array.isArray(body)) return [asCspEvent(asObject(asObject(body)?.["csp-report"]) ?? otherReport, surroundings)];
  const reports = body.slice(0, maxEntries.cspReports).map(ofReportingApi);
  if (body.length > reports.length) reports.push(leftAside("extra", body.length - reports.length));
  return reports.map((report) => asCspEvent(report, surroundings));
}

const otherReport = leftAside("other_report");

function asCspEvent(report: JsonObject | LeftAside, surroundings: CspSurroundings): JsonObject | LeftAside {
  return isLeftAside(report) ? report : toEvent(report, surroundings);
}

/** Renames the fields of a Reporting API report to CSP Level 2. Takes only known fields. */
function ofReportingApi(report: JsonValue): JsonObject | LeftAside {
  const sent = asObject(report);
  const body = asObject(sent?.["body"]);
  if (!sent || !body || sent["type"] !== "csp-violation") return otherReport;
  return Object.fromEntries(names.map(([level2, name]) => [level2, body[name] ?? null]));
}

const names = [
  ["document-uri", "documentURL"],
  ["blocked-uri", "blockedURL"],
  ["effective-directive", "effectiveDirective"],
  ["original-policy", "originalPolicy"],
  ["referrer", "referrer"],
  ["source-file", "sourceFile"],
  ["line-number", "lineNumber"],
  ["column-number", "columnNumber"],
  ["script-sample", "sample"],
  ["status-code", "statusCode"],
  ["disposition", "disposition"],
] as const;

function toEvent(report: JsonObject, { release, environment, userAgent }: CspSurroundings): JsonObject {
  const directive = directiveOf(report);
  const blocked = blockedSource(readText(report["blocked-uri"], limits.text.url));
  const foreign = codeWord.test(blocked) ? foreignSource(report, blocked) : "";
  const by = foreign === "" ? "" : ` by ${foreign}`;
  return {
    platform: "javascript",
    logger: "csp",
    exception: { values: [{ type: "CSP", value: `Blocked ${directive} from ${blocked}${by}` }] },
    fingerprint: ["csp", directive, blocked, ...(foreign === "" ? [] : [foreign])],
    tags: { "csp.directive": directive, "csp.blocked": blocked, "csp.source": foreign || "page" },
    transaction: directive,
    request: {
      url: report["document-uri"] ?? null,
      headers: userAgent === undefined ? {} : { "User-Agent": userAgent },
    },
    extra: { report: Object.fromEntries(names.map(([name]) => [name, report[name] ?? null])) },
    ...(release !== null && { release }),
    ...(environment !== null && { environment }),
  };
}

/** The directive's name, without the sources that old browsers append. */
function directiveOf(report: JsonObject): string {
  const sent = [report["effective-directive"], report["violated-directive"]].map(word);
  return sent.find((name) => name !== "") ?? "unknown directive";
}

function word(value: JsonField): string {
  return readText(value, limits.text.word).trim().split(/\s/, 1)[0] ?? "";
}

/**
 * The origin of a blocked address, because each path would be a separate error. Words such as `inline` are unchanged.
 * An address without its own origin is named by its scheme: the origin of a `blob:` is the page that made it.
 */
function blockedSource(blocked: string): string {
  if (blocked === "") return "inline";
  const url = URL.parse(blocked);
  if (!url) return blocked;
  return url.origin === "null" || url.protocol === "blob:" ? url.protocol.replace(/:$/, "") : url.origin;
}

const codeWord = /^(?:inline|(?:wasm-)?eval|trusted-types-\w+)$/;

/**
 * The source of code that was blocked by a word, such as `eval`, unless it is the page itself. This is the origin of
 * another site. For an extension it is only the scheme, because browsers omit the rest and some create a name for each
 * person.
 */
function foreignSource(report: JsonObject, blocked: string): string {
  const [page = "", source = ""] = [report["document-uri"], report["source-file"]].map((sent) => {
    const address = readText(sent, limits.text.url);
    return address === "" ? "" : blockedSource(address);
  });
  if (source !== "") return source === page ? "" : source;
  if (page !== "" && !page.startsWith("http")) return page; // such as "about", a frame created by an extension
  return blocked === "inline" ? "" : "an unknown script"; // for a page's own script browsers name the file
}
