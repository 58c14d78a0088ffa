/** Folds a stack for reading: runs of library frames and repeated frames become a line each. */

import type { Frame } from "#lib/messages.ts";

export type FrameItem =
  | { readonly kind: "frame"; readonly frame: Frame; readonly key: number }
  | {
      readonly kind: "library";
      readonly frames: readonly Frame[];
      readonly names: readonly string[];
      readonly key: number;
    }
  | { readonly kind: "repeat"; readonly times: number; readonly key: number };

/** Frames to show before and after the cut of a stack of more than a hundred. */
const longStack = { limit: 100, head: 30, tail: 10 };

/** `frames` in display order. Without any frame of the application, nothing is folded. */
export function frameItems(frames: readonly Frame[], foldLibraries: boolean): FrameItem[] {
  const fold = foldLibraries && frames.some(({ inApp }) => inApp);
  const items: FrameItem[] = [];
  for (let index = 0; index < frames.length;) {
    const frame = frames[index];
    if (frame === undefined) break;
    const libraryEnd = fold && !frame.inApp ? runEnd(frames, index, ({ inApp }) => !inApp) : index;
    if (libraryEnd > index) {
      const run = frames.slice(index, libraryEnd);
      items.push({ kind: "library", frames: run, names: libraryNames(run), key: index });
      index = libraryEnd;
      continue;
    }
    items.push({ kind: "frame", frame, key: index });
    const sameEnd = runEnd(frames, index, (other) => sameCall(other, frame));
    if (sameEnd - index >= 3) {
      items.push({ kind: "repeat", times: sameEnd - index, key: index + 1 });
      index = sameEnd;
    } else {
      index += 1;
    }
  }
  return items;
}

/** The cut of a long list: how many items to hide after the head. 0 if none. */
export const hiddenItems = (count: number) => (count > longStack.limit ? count - longStack.head - longStack.tail : 0);

export const headItems = longStack.head;

function runEnd(frames: readonly Frame[], start: number, belongs: (frame: Frame) => boolean): number {
  const end = frames.findIndex((frame, index) => index >= start && !belongs(frame));
  return end === -1 ? frames.length : end;
}

const sameCall = (a: Frame, b: Frame) =>
  a.filename === b.filename && a.function === b.function && a.lineno === b.lineno && a.module === b.module;

/** The distinct packages of a run, at most three. */
function libraryNames(frames: readonly Frame[]): string[] {
  return [...new Set(frames.map(libraryName).filter((name) => name !== ""))].slice(0, 3);
}

function libraryName({ package: library, module, filename }: Frame): string {
  if (library !== "") return library.split(/[\\/]/).at(-1) ?? "";
  const installed = /(?:node_modules|site-packages|vendor|gems)[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(filename);
  if (installed?.[1] !== undefined) return installed[1];
  if (filename.startsWith("node:")) return filename.split("/")[0] ?? "";
  return module === "" ? (filename.split(/[\\/]/).at(-1) ?? "") : moduleLibrary(module);
}

const domainEnds = new Set(["com", "org", "net", "io", "dev", "edu", "de"]);

/** `github.com/gin-gonic/gin` and `net/http` in Go, `org.springframework` in Java, `django` in Python. */
function moduleLibrary(module: string): string {
  const paths = module.split("/");
  if (paths.length > 1) return paths.slice(0, paths[0]?.includes(".") ? 3 : 2).join("/");
  const [first = "", second] = module.split(/[.:\\]+/);
  return second !== undefined && domainEnds.has(first) ? `${first}.${second}` : first;
}
