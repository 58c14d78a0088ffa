import { familyOf, foldBy, type Family, type NameRule } from "./fold.ts";
import type { FrameNames } from "./folded-names.ts";
import { functionRules } from "./function-rules.ts";
import { moduleRules } from "./module-rules.ts";

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
