import { familyOf, foldBy, type FoldedName, nameless, type Naming } from "./fold.ts";
import { foldFile, isBuilt } from "./file-name.ts";
import { functionRules } from "./function-rules.ts";
import { moduleRules } from "./module-rules.ts";

/** The names of a frame, as they were sent. */
export interface FrameNames {
  readonly module: string;
  readonly filename: string;
  readonly function: string;
}

/** The names of a platform's frames, without the parts that compilers, runtimes and builds generate. */
export interface PlatformNames {
  /** The module, otherwise the file. Empty: neither, as for the script of a page. */
  where(frame: FrameNames): FoldedName;
  /** The function. */
  call(frame: FrameNames): FoldedName;
}

/** The names of a platform; see foldPlace. */
export function namesOf(platform: string): PlatformNames {
  const naming = platform === "javascript" ? "browser" : familyOf(platform);
  return (names[naming] ??= newNames(naming));
}

/** The place of a frame; `isUnnamed` where its function identifies no place by itself. */
export function foldPlace(platform: string, frame: FrameNames): FoldedName & { readonly where: string } {
  const [where, call] = [namesOf(platform).where(frame), namesOf(platform).call(frame)];
  return { where: where.name, name: call.name, isUnnamed: call.isUnnamed || where.isUnnamed };
}

/** Whether a function's name, as it was sent, identifies a place; that of an anonymous function does not. */
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
 * The same function, which remembers its results: 50 frames of a stack are folded in 3 µs instead of 60, as an application
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
