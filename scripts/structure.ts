/**
 * Prints the structure of the product's code in numbers: the length of files and functions, the size of folders, the
 * depth of import chains, and circles of imports. Generated code and SQL of migrations do not count.
 *
 *     node scripts/structure.ts
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type TypeScript from "typescript";

const root = join(import.meta.dirname, "..");
const shown = 5;

const isProduct = (file: string) =>
  /^(proto|backend|plugins|console)\/.*\.(ts|svelte)$/.test(file) && !/^proto\/gen\/|\/migrations\//.test(file);

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root })
  .toString()
  .split("\0")
  .filter((file) => isProduct(file) && existsSync(join(root, file)));
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const linesIn = (text: string) => text.split("\n").length - 1;

/** The files that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = textOf.get(file) ?? "";
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"([^"\n]+)"/g)].map(([, one = ""]) => one);
  return specifiers.flatMap((specifier) => {
    const path = specifier.startsWith("#lib/")
      ? `console/src/lib/${specifier.slice(5)}`
      : normalize(join(dirname(file), specifier));
    return textOf.has(path) ? path : (packageFile(specifier) ?? []);
  });
}

/** The file of a package of ours, such as `@faultline/plugin/rest`. */
function packageFile(specifier: string): string | undefined {
  const [, name, below] = /^@faultline\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const folder = name === "proto" ? "proto" : `plugins/${name}`;
  const exported = (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { exports: object })
    .exports;
  const target = (exported as Record<string, string>)[below === undefined ? "." : `./${below}`];
  const path = target === undefined ? "" : normalize(join(folder, target));
  return textOf.has(path) ? path : undefined;
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** Groups of product files that import each other in a circle, types included (Tarjan's strongly connected components). */
export function circles(): string[][] {
  const [order, low] = [new Map<string, number>(), new Map<string, number>()];
  const [stack, found]: [string[], string[][]] = [[], []];
  const visit = (file: string) => {
    order.set(file, order.size);
    low.set(file, order.get(file) ?? 0);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.toReversed());
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

/** The longest chain of imports from each file; a circle is walked once. */
function deepest(): string[] {
  const chains = new Map<string, string[]>();
  const chainOf = (file: string, above: ReadonlySet<string>): string[] => {
    const known = chains.get(file);
    if (known) return known;
    const below = new Set([...above, file]);
    const tails = (graph.get(file) ?? []).filter((next) => !below.has(next)).map((next) => chainOf(next, below));
    const longest = tails.reduce((best, tail) => (tail.length > best.length ? tail : best), []);
    const chain = [file, ...longest];
    chains.set(file, chain);
    return chain;
  };
  return files
    .map((file) => chainOf(file, new Set()))
    .reduce((best, chain) => (chain.length > best.length ? chain : best));
}

interface Measured {
  readonly name: string;
  readonly lines: number;
}

/** Functions with their lengths. */
function functionsIn(ts: typeof TypeScript, file: string): Measured[] {
  if (!file.endsWith(".ts")) return [];
  const source = ts.createSourceFile(file, textOf.get(file) ?? "", ts.ScriptTarget.Latest, true);
  const found: Measured[] = [];
  const visit = (node: TypeScript.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const [first, last] = [node.getStart(), node.getEnd()].map((at) => source.getLineAndCharacterOfPosition(at).line);
      found.push({ name: `${file}:${(first ?? 0) + 1}`, lines: (last ?? 0) - (first ?? 0) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const longest = (measured: readonly Measured[]) =>
  measured
    .toSorted((a, b) => b.lines - a.lines)
    .slice(0, shown)
    .map(({ name, lines }) => `  ${String(lines).padStart(5)}  ${name}`)
    .join("\n");

async function print(): Promise<void> {
  const { default: ts } = await import("typescript");
  const folders = [...Map.groupBy(files, dirname)].map(([name, inside]) => ({ name, lines: inside.length }));
  const chain = deepest();
  const groups = circles();
  console.log(
    `product: ${files.length} files, ${[...textOf.values()].reduce((sum, text) => sum + linesIn(text), 0)} lines`,
  );
  console.log(
    `longest files (lines):\n${longest([...textOf].map(([name, text]) => ({ name, lines: linesIn(text) })))}`,
  );
  console.log(`longest functions (lines):\n${longest(files.flatMap((file) => functionsIn(ts, file)))}`);
  console.log(`fullest folders (files):\n${longest(folders)}`);
  console.log(`deepest chain of imports: ${chain.length} files\n${chain.map((file) => `  ${file}`).join("\n")}`);
  console.log(`circles: ${groups.length}${groups.map((group) => `\n  ${group.join(" -> ")}`).join("")}`);
}

if (import.meta.main) await print();
