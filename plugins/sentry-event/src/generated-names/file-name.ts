import type { Naming } from "./fold.ts";

/**
 * The file's own name in lower case, without the hash of a build. Empty for a place that is not a file of code: an address
 * of a page, a script within one, code that was made at run time.
 */
export function foldFile(naming: Naming, path: string): string {
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
export function isBuilt(path: string): boolean {
  const end = endOfPath(path);
  const name = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
  return /\.min\.[cm]?js$/.test(name) || withoutHashes(name) !== name;
}

/** Not a file: `<string>`, `[native code]`, `(eval 12)`, and the addresses of code that lies in no file. */
const notAFile =
  /^[<[(]|^(?:blob|data|wasm|about|javascript|laravel-serializable-closure):|^evalmachine\.|^(?:debugger )?eval |^VM\d+\b|^eval at /;

/** Ends of names that hold code for browsers; a page has another one, or none. */
const codeEnding = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx|coffee|es6|dart|wasm|(?:js)?bundle|hbc|map)$/i;

/** Whether an address names a page, whose own scripts it is the address of. On a disk everything is a file. */
function isPage(path: string, name: string): boolean {
  if (codeEnding.test(name)) return false;
  return path.startsWith("http") || (path.startsWith("/") && !/\.\w{1,8}$/.test(name)) || pageEnding.test(name);
}

const pageEnding = /\.(?:html?|php\d?|aspx?|jspx?|jsf|do|action|cgi|cfm)$/i;

/** The name of a script without the hashes that a bundler writes into it. */
function withoutHashes(name: string): string {
  if (!/\d|[A-Z]/.test(name)) return name; // as those of most sources
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

/** Whether a part of a name is no word: hexadecimal digits, or the 8 characters of Vite, Rollup and esbuild. */
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
