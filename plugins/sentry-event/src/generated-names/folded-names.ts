import { familyOf, foldBy, type FoldedName, nameless } from "./fold.ts";
import { foldFile, isBuilt } from "./file-name.ts";
import { functionRules } from "./function-rules.ts";
import { moduleRules } from "./module-rules.ts";

/** The names of a frame, as they were sent. */
export interface FrameNames {
  readonly module: string;
  readonly filename: string;
  readonly function: string;
}

/** The place of a frame, without the parts of its names that compilers, runtimes and builds generate. */
export interface FoldedPlace {
  /** The module, otherwise the file. Empty: neither, as for the script of a page. */
  readonly where: string;
  /** The function. May be empty. */
  readonly name: string;
  /** Whether the function identifies no place by itself. */
  readonly isUnnamed: boolean;
}

/** The place of a frame. */
export function foldPlace(platform: string, frame: FrameNames): FoldedPlace {
  const call = foldFunction(platform, frame.function, frame.filename);
  const module = foldModule(platform, frame.module);
  return {
    where: module.name || foldFile(platform, frame.filename),
    name: call.name,
    isUnnamed: call.isUnnamed || module.isUnnamed,
  };
}

/** The name of a function. `filename` says whether a build gave it: one or two letters of a minifier. */
export function foldFunction(platform: string, name: string, filename = ""): FoldedName {
  if (name === "") return nameless;
  const family = familyOf(platform);
  const folded = foldBy(functionRules[family], name);
  if (family === "script" && folded.name.length <= 2 && isBuilt(filename)) return nameless;
  return folded;
}

/** The name of a type without what was generated, as for an anonymous class. */
export function foldType(platform: string, type: string): string {
  return /[$@/<]/.test(type) ? foldBy(moduleRules[familyOf(platform)], type).name : type;
}

function foldModule(platform: string, module: string): FoldedName {
  if (module === "") return noModule;
  const family = familyOf(platform);
  return family === "script" ? foldScriptModule(platform, module) : foldBy(moduleRules[family], module);
}

const noModule: FoldedName = { name: "", isUnnamed: false };

/** Modules of scripts are paths without an ending, such as `src/Cart` and `@acme/pay:index`. */
function foldScriptModule(platform: string, module: string): FoldedName {
  const at = Math.max(module.lastIndexOf("/"), module.lastIndexOf(":")) + 1;
  const name = foldFile(platform, `${module.slice(at)}.js`).slice(0, -".js".length);
  return { name: module.slice(0, at) + name, isUnnamed: false };
}
