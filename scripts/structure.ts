/**
 * Prints the structure of the product's code in numbers: the length of files and functions, small helpers, files next
 * to a folder of the same name, arrows between folders that go up, the depth of import chains, and circles of imports. It
 * leaves out generated code and SQL of migrations.
 *
 *     node scripts/structure.ts          the five longest of each list
 *     node scripts/structure.ts --all    whole lists
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");

const isProduct = (file: string) =>
  /^(proto|backend|plugins|console)\/.*\.(ts|svelte)$/.test(file) && !/^proto\/gen\/|\/migrations\//.test(file);

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: root })
  .toString()
  .split("\0")
  .filter((file) => isProduct(file) && existsSync(join(root, file)));
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const linesIn = (text: string) => text.split("\n").length - 1;

/** An import, or a re-export of another file's exports. */
interface Import {
  /** The imported product file; undefined for other packages and generated code. */
  readonly to: string | undefined;
  readonly isExport: boolean;
  /** Whether `import()` loads the file later, which begins a new chain. */
  readonly isLater: boolean;
  /** The imported names; undefined for all names, or for an import of side effects. */
  readonly names: readonly string[] | undefined;
  /** The names that remain at run time; undefined for all. */
  readonly valuesOf: readonly string[] | undefined;
}

function importsIn(file: string): Import[] {
  const text = textOf.get(file) ?? "";
  const statements = text.matchAll(/^\s*(import|export)\s+(type\s+)?([\w\s{},*]*?)\s*from\s*"([^"\n]+)"/gm);
  const named = [...statements].map(([, keyword, type, clause = "", specifier = ""]) => {
    const inBraces = /\{([^}]*)\}/.exec(clause)?.[1];
    const isWhole = inBraces === undefined || /^\s*\w/.test(clause); // a default, or all as one name
    const parts = inBraces?.split(",").flatMap((part) => part.trim() || []) ?? [];
    const nameOf = (part: string) => part.replace(/^type\s+/, "").replace(/\s+as\s.*/s, "");
    const values = type === undefined ? parts.filter((part) => !part.startsWith("type ")) : [];
    return {
      to: targetOf(file, specifier),
      isExport: keyword === "export",
      isLater: false,
      names: isWhole ? undefined : parts.map(nameOf),
      valuesOf: isWhole && type === undefined ? undefined : values.map(nameOf),
    };
  });
  const whole = [...text.matchAll(/^\s*import\s+"([^"\n]+)"|\bimport\("([^"\n]+)"/gm)].map(([, effect, loaded]) => ({
    to: targetOf(file, effect ?? loaded ?? ""),
    isExport: false,
    isLater: loaded !== undefined,
    names: undefined,
    valuesOf: undefined,
  }));
  return [...named, ...whole];
}

function targetOf(file: string, specifier: string): string | undefined {
  const path = specifier.startsWith("#lib/")
    ? `console/src/lib/${specifier.slice(5)}`
    : normalize(join(dirname(file), specifier));
  return textOf.has(path) ? path : packageFile(specifier);
}

/** The file of a package of ours, such as `@faultline/plugin/rest`. */
function packageFile(specifier: string): string | undefined {
  const [, name, below] = /^@faultline\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  const folder = name === "proto" || name === "console" ? name : `plugins/${name}`;
  const exported = (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { exports: object })
    .exports;
  const [, part, rest] = /^(\w+)\/(.+)$/.exec(below ?? "") ?? [];
  const targets = exported as Record<string, string>;
  const target = targets[below === undefined ? "." : `./${below}`] ?? targets[`./${part}/*`]?.replace("*", rest ?? "");
  const path = target === undefined ? "" : normalize(join(folder, target));
  return textOf.has(path) ? path : undefined;
}

const imports = new Map(files.map((file) => [file, importsIn(file)]));

type Graph = ReadonlyMap<string, readonly string[]>;

/** Each file with the files that it imports, types included. */
const written: Graph = new Map([...imports].map(([file, all]) => [file, all.flatMap(({ to }) => to ?? [])] as const));

/**
 * Each file with the files that it needs. An entry point, which re-exports other files, is replaced with the files that
 * define the names.
 */
function needed(kind: "names" | "valuesOf"): Graph {
  const reached = ({ to, isExport, isLater, ...of }: Import): string[] => {
    const names = of[kind];
    if (to === undefined || isExport || isLater) return [];
    return names === undefined ? [to] : names.flatMap((name) => definitionOf(to, name) ?? []);
  };
  return new Map([...imports].map(([file, all]) => [file, [...new Set(all.flatMap(reached))]]));
}

/** The file that defines what `file` exports as `name`; undefined for generated code. */
function definitionOf(file: string, name: string): string | undefined {
  const exported = (imports.get(file) ?? []).filter(({ isExport }) => isExport);
  if (exported.length === 0) return file;
  const named = exported.find(({ names }) => names?.includes(name));
  if (named) return named.to && definitionOf(named.to, name);
  const definition = new RegExp(
    `^export (?:abstract |async |const |function\\*? |class |interface |type |let )+${name}\\b`,
    "m",
  );
  if (definition.test(textOf.get(file) ?? "")) return file;
  const wholes = exported.filter(({ names }) => names === undefined);
  return wholes
    .map(({ to }) => to && definitionOf(to, name))
    .find((found) => found && definition.test(textOf.get(found) ?? ""));
}

/** Groups of product files that import each other in a circle, types included (Tarjan's strongly connected components). */
export function circles(): string[][] {
  const [order, low] = [new Map<string, number>(), new Map<string, number>()];
  const [stack, found]: [string[], string[][]] = [[], []];
  const visit = (file: string) => {
    order.set(file, order.size);
    low.set(file, order.get(file) ?? 0);
    stack.push(file);
    for (const next of written.get(file) ?? []) {
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

/** The longest chain of files in which each needs the next. With `types`, importing only a type counts too. */
export function deepestChain({ types }: { types: boolean }): string[] {
  const graph = needed(types ? "names" : "valuesOf");
  const chains = new Map<string, string[]>();
  const chainOf = (file: string): string[] => {
    const known = chains.get(file);
    if (known) return known;
    chains.set(file, [file]); // ends the recursion in a circle
    const tails = (graph.get(file) ?? []).map(chainOf);
    const chain = [file, ...tails.reduce((best, tail) => (tail.length > best.length ? tail : best), [])];
    chains.set(file, chain);
    return chain;
  };
  return files.map(chainOf).reduce((best, chain) => (chain.length > best.length ? chain : best));
}

/** A part of a folder that imports another part which should import it. */
interface ArrowUp {
  readonly from: string;
  readonly to: string;
}

/**
 * The arrows between the parts of a folder (its folders, and the files in it) that go up: those against the order of the
 * parts that leaves the fewest of them. The order is improved until no move of a part helps.
 */
export function arrowsUp(folder: string): ArrowUp[] {
  const partOf = (file: string) => file.slice(folder.length + 1).split("/")[0] ?? "";
  const inside = [...written].filter(([file]) => file.startsWith(`${folder}/`));
  const keys = inside.flatMap(([file, all]) =>
    all
      .filter((to) => to.startsWith(`${folder}/`) && partOf(to) !== partOf(file))
      .map((to) => `${partOf(file)} ${partOf(to)}`),
  );
  const arrows = [...new Set(keys)].map((key) => {
    const [from = "", to = ""] = key.split(" ");
    return { from, to };
  });
  let order = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].toSorted();
  const upIn = (parts: readonly string[]) => {
    const place = new Map(parts.map((part, n) => [part, n]));
    return arrows.filter(({ from, to }) => (place.get(from) ?? 0) > (place.get(to) ?? 0));
  };
  for (let best = Infinity; upIn(order).length < best;) {
    best = upIn(order).length;
    for (const part of order) {
      const others = order.filter((other) => other !== part);
      const places = Array.from({ length: order.length }, (_, n) => others.toSpliced(n, 0, part));
      order = places.reduce((least, next) => (upIn(next).length < upIn(least).length ? next : least), order);
    }
  }
  return upIn(order);
}

interface Measured {
  readonly name: string;
  readonly size: number;
}

const bySize = (measured: readonly Measured[]) => measured.toSorted((a, b) => b.size - a.size);

/** Files with their lines. */
export const longestFiles = () => bySize([...textOf].map(([name, text]) => ({ name, size: linesIn(text) })));

/** Functions of TypeScript files with their lines. */
export const longestFunctions = () => bySize(files.filter((file) => file.endsWith(".ts")).flatMap(functionsIn));

/** The console's build imports these files of a plugin by their names. */
const isCollected = (file: string) => /\/src\/console\/(?:index|pages|error-\w+|index\.server)\.ts$/.test(file);

/**
 * Files of fewer than 40 lines with a single importer, in their own folder. They belong into that file unless there is a
 * reason. A component that a TypeScript file imports cannot be a part of that file.
 */
export function smallHelpers(): Measured[] {
  const importers = new Map<string, Set<string>>();
  for (const [file, all] of written) {
    for (const to of all) importers.set(to, (importers.get(to) ?? new Set()).add(file));
  }
  const isHelper = ({ name, size }: Measured) => {
    const [importer, ...others] = importers.get(name) ?? [];
    if (importer === undefined || others.length > 0 || isCollected(name)) return false;
    if (name.endsWith(".svelte") && importer.endsWith(".ts")) return false;
    return size < 40 && dirname(importer) === dirname(name);
  };
  return longestFiles().filter(isHelper);
}

/** Files next to a folder of the same name. */
export const twins = () =>
  files.filter((file) => file.endsWith(".ts") && files.some((other) => other.startsWith(`${file.slice(0, -3)}/`)));

function functionsIn(file: string): Measured[] {
  const source = ts.createSourceFile(file, textOf.get(file) ?? "", ts.ScriptTarget.Latest, true);
  const found: Measured[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const [first, last] = [node.getStart(), node.getEnd()].map((at) => source.getLineAndCharacterOfPosition(at).line);
      found.push({ name: `${file}:${(first ?? 0) + 1}`, size: (last ?? 0) - (first ?? 0) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function print(shown: number): void {
  const list = (measured: readonly Measured[]) =>
    measured
      .slice(0, shown)
      .map(({ name, size }) => `  ${String(size).padStart(5)}  ${name}`)
      .join("\n");
  const chain = (all: readonly string[]) => `${all.length} files\n${all.map((file) => `  ${file}`).join("\n")}`;
  const groups = circles();
  const lines = longestFiles().reduce((sum, { size }) => sum + size, 0);
  console.log(`product: ${files.length} files, ${lines} lines, ${(lines / files.length).toFixed(0)} a file`);
  for (const folder of [
    "plugins/integrated-backend/src",
    "plugins/notifier/src",
    "backend/src/services",
    "backend/src",
  ]) {
    const up = arrowsUp(folder);
    console.log(`arrows up in ${folder}: ${up.length}${up.map(({ from, to }) => `\n  ${from} -> ${to}`).join("")}`);
  }
  console.log(`longest files (lines):\n${list(longestFiles())}`);
  console.log(`longest functions (lines):\n${list(longestFunctions())}`);
  console.log(`small helpers (lines):\n${list(smallHelpers())}`);
  console.log(`twins: ${twins().join(", ") || "none"}`);
  console.log(`deepest chain of imports at run time: ${chain(deepestChain({ types: false }))}`);
  console.log(`deepest chain of imports with types: ${chain(deepestChain({ types: true }))}`);
  console.log(`circles: ${groups.length}${groups.map((group) => `\n  ${group.join(" -> ")}`).join("")}`);
}

if (import.meta.main) print(process.argv.includes("--all") ? Infinity : 5);
