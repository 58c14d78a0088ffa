import { typeOf } from "../../kinds.ts";
import { factsLine, type Message, plainText } from "../../messages/message.ts";

const longest = 4_000;
const deepest = 8;
const mostPlaces = 20;

/** The texts that a template can insert. */
const texts: Readonly<Record<string, (message: Message) => string>> = {
  type: ({ kind }) => typeOf(kind),
  timestamp: ({ at }) => new Date(at).toISOString(),
  headline: ({ headline }) => headline,
  project: ({ project }) => project,
  url: ({ url }) => url,
  "error.id": ({ errorId }) => errorId,
  "error.title": ({ title }) => title,
  "error.place": ({ place }) => place,
  "error.level": ({ level }) => level,
  facts: factsLine,
  text: plainText,
  rule: ({ rule }) => rule,
  note: ({ note }) => note,
};

/** The paths of these texts. */
export const templatePaths: readonly string[] = Object.keys(texts);

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const place = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * The body that a template makes from a message. The template is a JSON tree with placeholders such as
 * `{{error.title}}` in its strings. Placeholders are filled after parsing, and the inserted texts are not parsed again,
 * so that the result is JSON for any texts.
 */
export const filledTemplate = (template: string, message: Message): string =>
  JSON.stringify(
    mapLeaves(JSON.parse(template) as Json, (leaf) =>
      leaf.replaceAll(place, (_, path: string) => texts[path]?.(message) ?? ""),
    ),
  );

/** Returns in words why a template cannot be used. Undefined if it can. */
export function templateFault(template: string): string | undefined {
  if (template.length > longest) return `Use at most ${longest.toLocaleString("en")} characters.`;
  let tree: Json;
  try {
    tree = JSON.parse(template) as Json;
  } catch (error) {
    return `Enter valid JSON. ${error instanceof Error ? error.message : ""}`;
  }
  if (typeof tree !== "object" || tree === null) return "Enter a JSON object or list.";
  if (depthOf(tree) > deepest) return `Use at most ${deepest} levels.`;
  const leaves: string[] = [];
  mapLeaves(tree, (leaf) => {
    leaves.push(leaf);
    return leaf;
  });
  const paths = leaves.flatMap((leaf) => [...leaf.matchAll(place)].map(([, path = ""]) => path));
  const unknown = paths.find((path) => !Object.hasOwn(texts, path));
  if (unknown !== undefined) {
    return `There is no {{${unknown.slice(0, 40)}}}. Use ${templatePaths.map((path) => `{{${path}}}`).join(", ")}.`;
  }
  if (leaves.some((leaf) => leaf.replaceAll(place, "").includes("{{"))) return "A {{ has no matching }}.";
  if (paths.length > mostPlaces) return `Use at most ${mostPlaces} placeholders.`;
  return undefined;
}

function mapLeaves(tree: Json, change: (leaf: string) => string): Json {
  if (typeof tree === "string") return change(tree);
  if (typeof tree !== "object" || tree === null) return tree;
  if (isList(tree)) return tree.map((one) => mapLeaves(one, change));
  return Object.fromEntries(Object.entries(tree).map(([key, one]) => [key, mapLeaves(one, change)]));
}

/** The depth is bounded by the length of a template. */
function depthOf(tree: Json): number {
  if (typeof tree !== "object" || tree === null) return 0;
  const inner: readonly Json[] = isList(tree) ? tree : Object.values(tree);
  return 1 + Math.max(0, ...inner.map(depthOf));
}

const isList = (tree: Json): tree is readonly Json[] => Array.isArray(tree);
