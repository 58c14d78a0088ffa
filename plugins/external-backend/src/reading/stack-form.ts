import { asObject, type JsonField, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { onlyText } from "./fields.ts";

/**
 * Converts a stack trace of the web API to the form in which SDKs send it; null when there is none. Both have the
 * oldest call first.
 */
export function stackForm(sent: JsonField): JsonObject | null {
  const frames = asObject(sent)?.["frames"];
  if (!Array.isArray(frames)) return null;
  return { frames: frames.flatMap((frame) => frameForm(asObject(frame))) };
}

function frameForm(sent: JsonObject | undefined): JsonObject[] {
  if (!sent) return [];
  const lineno = onlyNumber(sent["lineNo"]);
  return [
    {
      filename: onlyText(sent["filename"]),
      abs_path: onlyText(sent["absPath"]),
      function: onlyText(sent["function"]),
      raw_function: onlyText(sent["rawFunction"]),
      module: onlyText(sent["module"]),
      package: onlyText(sent["package"]),
      platform: onlyText(sent["platform"]),
      lineno,
      colno: onlyNumber(sent["colNo"]),
      in_app: sent["inApp"] ?? null,
      ...sourceLines(sent["context"], lineno),
      vars: sent["vars"] ?? null,
    },
  ];
}

/** The source lines, which are sent as pairs `[line number, text]`, split at the line of the call. */
function sourceLines(sent: JsonField, lineno: number | null): JsonObject {
  const before: JsonValue[] = [];
  const after: JsonValue[] = [];
  let line: string | null = null;
  for (const pair of Array.isArray(sent) ? sent : []) {
    if (!Array.isArray(pair) || typeof pair[0] !== "number" || lineno === null) continue;
    const text = onlyText(pair[1]) ?? "";
    if (pair[0] < lineno) before.push(text);
    else if (pair[0] > lineno) after.push(text);
    else line = text;
  }
  return { pre_context: before, context_line: line, post_context: after };
}

function onlyNumber(value: JsonField): number | null {
  return typeof value === "number" ? value : null;
}
