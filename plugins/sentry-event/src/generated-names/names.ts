import { familyOf, foldBy, type FoldedName, nameless, type Naming, type Family, type NameRule } from "./fold.ts";
import { functionRules } from "./function-rules.ts";
import { moduleRules } from "./module-rules.ts";

/** The names of a frame, as they were sent. */
interface FrameNames {
  readonly module: string;
  readonly filename: string;
  readonly function: string;
}

/** The names of a platform's frames, without the parts that compilers, runtimes and builds generate. */
interface PlatformNames {
  /** The module, otherwise the file. Empty if the frame has neither, like the script of a page. */
  where(frame: FrameNames): FoldedName;
  /** The function. */
  call(frame: FrameNames): FoldedName;
}

/** The names of a platform; see foldPlace. */
export function namesOf(platform: string): PlatformNames {
  const naming = platform === "javascript" ? "browser" : familyOf(platform);
  return (names[naming] ??= newNames(naming));
}

/** The place of a frame; `isUnnamed` if its function identifies no place by itself. */
export function foldPlace(platform: string, frame: FrameNames): FoldedName & { readonly where: string } {
  const [where, call] = [namesOf(platform).where(frame), namesOf(platform).call(frame)];
  return { where: where.name, name: call.name, isUnnamed: call.isUnnamed || where.isUnnamed };
}

/** Whether a function's name, as it was sent, identifies a place. The name of an anonymous function does not. */
export function isFunctionName(platform: string, name: string): boolean {
  return !namesOf(platform).call({ module: "", filename: "", function: name }).isUnnamed;
}

/** The name of a type without what was generated, as for an anonymous class. */
export function foldType(platform: string, type: string): string {
  return /[$@/<]/.test(type) ? foldBy(moduleRules[familyOf(platform)], type).name : type;
}

const names: Partial<Record<Naming, PlatformNames>> = {};

function newNames(naming: Naming): PlatformNames {
  const family = naming === "browser" ? "script" : naming;
  const ofFunction = remembered((name) => foldBy(functionRules[family], name));
  const ofModule = remembered((module) =>
    family === "script" ? named(foldScriptModule(module)) : foldBy(moduleRules[family], module),
  );
  const ofFile = remembered((path) => named(foldFile(naming, path)));
  return {
    where({ module, filename }) {
      if (module === "") return filename === "" ? nowhere : ofFile(filename);
      const folded = ofModule(module);
      return folded.name === "" && filename !== "" ? ofFile(filename) : folded;
    },
    call({ function: name, filename }) {
      if (name === "") return nameless;
      const folded = ofFunction(name);
      // One or two letters are a minifier's, unless a person wrote the file.
      const isShort = family === "script" && folded.name !== "" && folded.name.length <= 2;
      return isShort && isBuilt(filename) ? nameless : folded;
    },
  };
}

const nowhere = named("");

function named(name: string): FoldedName {
  return { name, isUnnamed: false };
}

/** Names that are remembered of each platform: an application has some hundred. */
const mostRemembered = 2_000;

/**
 * The same function, which remembers its results: 50 frames of a stack are folded in 3 µs instead of 60, because an application
 * sends the same names again and again. A name has 256 characters at most.
 */
function remembered(fold: (name: string) => FoldedName): (name: string) => FoldedName {
  const known = new Map<string, FoldedName>();
  return (name) => {
    let folded = known.get(name);
    if (folded === undefined) {
      if (known.size >= mostRemembered) known.clear();
      folded = fold(name);
      known.set(name, folded);
    }
    return folded;
  };
}

/** Modules of scripts are paths without an ending, such as `src/Cart` and `@acme/pay:index`. */
function foldScriptModule(module: string): string {
  const at = Math.max(module.lastIndexOf("/"), module.lastIndexOf(":")) + 1;
  return module.slice(0, at) + foldFile("script", `${module.slice(at)}.js`).slice(0, -".js".length);
}

/**
 * The file's own name in lower case, without the hash of a build. Empty for a place that is not a file of code: an address
 * of a page, a script within one, code that was made at run time.
 */
function foldFile(naming: Naming, path: string): string {
  if (path === "" || notAFile.test(path)) return "";
  const end = endOfPath(path);
  const name = path.slice(Math.max(path.lastIndexOf("/", end - 1), path.lastIndexOf("\\", end - 1)) + 1, end);
  switch (naming) {
    case "browser":
      return isPage(path, name) ? "" : withoutHashes(name).toLowerCase();
    case "script":
      return withoutHashes(name).toLowerCase();
    case "python":
      return name.replace(/^(?:\d{5,}|tmp[a-z0-9_]{8})(?=\.py)/, "<generated>").toLowerCase();
    case "php":
      return name
        .replace(/(?:^|_)[0-9a-f]{32,64}(?=[._])/, "<generated>")
        .replace(/\(\d+\) : .*$/, "")
        .toLowerCase();
    case "ruby":
    case "perl":
    case "other":
      return name.replace(/^[0-9a-f]{32,64}(?=\.)/, "<generated>").toLowerCase();
    default:
      return name.toLowerCase();
  }
}

/** Whether the name of a file says that a build wrote it, which gives functions new names each time. */
function isBuilt(path: string): boolean {
  const end = endOfPath(path);
  const name = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
  return /\.min\.[cm]?js$/.test(name) || withoutHashes(name) !== name;
}

/** Not a file: `<string>`, `[native code]`, `(eval 12)`, and the addresses of code without a file. */
const notAFile =
  /^[<[(]|^(?:blob|data|wasm|about|javascript|laravel-serializable-closure):|^evalmachine\.|^(?:debugger )?eval |^VM\d+\b|^eval at /;

/** Ends of names that hold code for browsers; a page has another ending, or none. */
const codeEnding = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx|coffee|es6|dart|wasm|(?:js)?bundle|hbc|map)$/i;

/** Whether an address names a page, which is also the address of the page's inline scripts. On a disk everything is a file. */
function isPage(path: string, name: string): boolean {
  if (codeEnding.test(name)) return false;
  return path.startsWith("http") || (path.startsWith("/") && !/\.\w{1,8}$/.test(name)) || pageEnding.test(name);
}

const pageEnding = /\.(?:html?|php\d?|aspx?|jspx?|jsf|do|action|cgi|cfm)$/i;

/** The name of a script without the hashes that a bundler writes into it. */
function withoutHashes(name: string): string {
  if (!/\d|[A-Z]/.test(name)) return name; // like the names of most sources
  const parts = name.split(".");
  const ending = parts.pop() ?? "";
  const left = parts.flatMap((part, index) => {
    if (index > 0 ? isHash(part) || shortHex.test(part) : longHash.test(part)) return [];
    if (/^\d+$/.test(part)) return ["<number>"];
    return [withoutHash(part)];
  });
  return [...left, ending].join(".");
}

/** `index-BaMZ3r4k` as `index`. The hashes of Vite may contain the mark that is before them. */
function withoutHash(part: string): string {
  const mark = part.at(-9);
  if ((mark === "-" || mark === "_") && part.length > 9 && isHash(part.slice(-8))) return part.slice(0, -9);
  const at = Math.max(part.lastIndexOf("-"), part.lastIndexOf("_"));
  return at > 0 && isHash(part.slice(at + 1)) ? part.slice(0, at) : part;
}

const longHash = /^(?=[a-f]*\d)[0-9a-f]{16,64}$/;
const hexHash = /^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,64}$|^\d{8,20}$/;
const shortHex = /^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,5}$/;

/** Whether a part of a name is not a word: hexadecimal digits, or the 8 characters of Vite, Rollup and esbuild. */
function isHash(part: string): boolean {
  if (hexHash.test(part)) return true;
  if (part.length !== 8 && part.length !== 10 && part.length !== 20) return false;
  if (!/^[\w-]+$/.test(part) || /^[A-Za-z][a-z]*\d{0,2}$|^[A-Z]+\d{0,2}$|^\d+$/.test(part)) return false;
  if (/^[A-Za-z][a-z]*(?:[A-Z][a-z]+|[-_][A-Za-z][a-z]*)*\d?$/.test(part)) return false; // words
  return /\d/.test(part) ? /[A-Za-z]/.test(part) : /[A-Z]/.test(part) && /[a-z]/.test(part);
}

/** The index at which the query or the fragment of an address begins; the end of any other place. */
function endOfPath(path: string): number {
  const query = path.indexOf("?");
  const fragment = path.indexOf("#");
  if (query < 0) return fragment < 0 ? path.length : fragment;
  return fragment < 0 ? query : Math.min(query, fragment);
}

/**
 * The names of a frame as people read them: without what grouping ignores because it is generated, such as the hash in the
 * method of a template, and with what makes a good name although grouping ignores it, such as the class of a method.
 */
export function shownNames(platform: string, { module, filename, function: name }: FrameNames): FrameNames {
  const family = familyOf(platform);
  return {
    module: shown(noise.module, family, module),
    filename: withoutRelease(filename),
    function: shown(noise.function, family, name),
  };
}

/** The name of a type as people read it. */
export const shownType = (platform: string, type: string) => shown(noise.module, familyOf(platform), type);

const noise = { module: noiseOf(moduleRules), function: noiseOf(functionRules) };

function noiseOf(rules: Readonly<Record<Family, readonly NameRule[]>>): ReadonlyMap<string, readonly NameRule[]> {
  return new Map(Object.entries(rules).map(([family, all]) => [family, all.filter((rule) => rule.noise)]));
}

/** A name of which nothing would be left stays as it was sent. */
function shown(rules: ReadonlyMap<string, readonly NameRule[]>, family: Family, sent: string): string {
  return foldBy(rules.get(family) ?? [], sent).name || sent;
}

/** The folder of a release, as Capistrano, Deployer and Envoyer name it: by its time, number or commit. */
const release = /^.*\/releases\/(?:\d{1,20}|(?=[a-f]*\d)[0-9a-f]{7,40})\/(?=.)/;

const withoutRelease = (path: string) => (path.includes("/releases/") ? path.replace(release, "") : path);
