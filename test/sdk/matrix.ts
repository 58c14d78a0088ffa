import type { GrpcClient } from "./grpc/clients.ts";
import type { BuildTool, CapturedLanguage, Language } from "./language.ts";

/** The name of what comes before all features. */
export const builds = "the programs build and run";

/** The result for an SDK: failures by feature, undefined where it passed; or why it was not run. */
export type Result =
  | {
      readonly language: Language | CapturedLanguage | BuildTool | GrpcClient;
      /** The endpoints it used. */
      readonly doors: readonly string[];
      readonly failures: ReadonlyMap<string, string | undefined>;
    }
  | { readonly language: Language | BuildTool | GrpcClient; readonly notRun: string };

/** A table SDK x feature in Markdown, with the remarks below it. */
export function matrix(results: readonly Result[]): string[] {
  const features = new Set(results.flatMap((result) => ("failures" in result ? [...result.failures.keys()] : [])));
  const heads = results.map(({ language }) => titleOf(language));
  const rows = [
    ["package", ...results.map(({ language }) => `\`${language.sdk}\``)],
    ["endpoint", ...results.map((result) => ("doors" in result ? result.doors.join(", ") : ""))],
    ...[...features].map((name) => [name, ...results.map((result) => cell(result, name))]),
  ];
  return [...table(["", ...heads], rows), "", ...results.flatMap(remarks)];
}

/** An SDK as people call it. */
export function titleOf({ name, version }: Pick<Language, "name" | "version">): string {
  return `${name} ${version}`;
}

function cell(result: Result, feature: string): string {
  if ("notRun" in result) return "not run";
  if (!result.failures.has(feature)) return "-";
  if (result.failures.get(feature) !== undefined) return "**fails**";
  return isCaptured(result.language) ? "captured" : "yes";
}

/** A table as prettier writes it, so that the file stays as it is. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

function remarks(result: Result): string[] {
  const { language } = result;
  const said = (remark: string) => `- ${titleOf(language)}: ${remark}.`;
  if ("notRun" in result) return [said(`not run: ${result.notRun}`)];
  if (isCaptured(language))
    return [said(`${language.reason}; we replayed requests that this version had sent elsewhere`)];
  return language.remarks.map(said);
}

function isCaptured(language: Language | CapturedLanguage | BuildTool | GrpcClient): language is CapturedLanguage {
  return "reason" in language;
}
