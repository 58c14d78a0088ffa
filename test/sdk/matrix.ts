import { builds, features } from "./features.ts";
import type { Absent, Language } from "./language.ts";

/** The result of one language: failures by feature, undefined where it passed; or why it was not run. */
export type Result =
  | {
      readonly language: Language;
      /** The endpoints it used. */
      readonly doors: readonly string[];
      readonly failures: ReadonlyMap<string, string | undefined>;
    }
  | { readonly language: Language | Absent; readonly notRun: string };

/** The matrix SDK x feature in Markdown. */
export function matrix(results: readonly Result[]): string {
  const heads = results.map(({ language }) => `${language.name} ${language.version}`);
  const rows = [
    ["package", ...results.map(({ language }) => `\`${language.sdk}\``)],
    ["endpoint", ...results.map((result) => ("doors" in result ? result.doors.join(", ") : "-"))],
    ...[builds, ...features.map(([name]) => name)].map((name) => [
      name,
      ...results.map((result) => cell(result, name)),
    ]),
  ];
  return [
    "# SDKs",
    "",
    "Written by `npm run test:sdk -- --write`. Each program in `test/sdk` reports with the real SDK, at the version the",
    "specification names, to a running Faultline; what is stored is read back through gRPC.",
    "",
    ...table(["", ...heads], rows),
    "",
    ...remarks(results),
    "",
  ].join("\n");
}

function cell(result: Result, feature: string): string {
  if ("notRun" in result) return "not run";
  if (result.failures.has(feature)) return result.failures.get(feature) === undefined ? "yes" : "**fails**";
  return result.failures.get(builds) === undefined ? "sends none" : "-";
}

/** A table as prettier writes it, so that the file stays as it is. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

function remarks(results: readonly Result[]): string[] {
  return results.flatMap((result) => {
    const { language } = result;
    if ("notRun" in result) return [`- ${language.name} was not run: ${result.notRun}.`];
    return result.language.remarks.map((remark) => `- ${language.name}: ${remark}.`);
  });
}
