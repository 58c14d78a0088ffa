import type { BundleFileType } from "../bundle/manifest.ts";
import { identifiersOf } from "../bundle/debug-ids.ts";
import type { BundleFile } from "../bundle/read-bundle.ts";

/** The folder that a build wrote. */
export interface BuildFolder {
  /** The files that may be scripts or maps, relative to the folder, with `/` between their parts. */
  readonly paths: readonly string[];
  /** The content of one of them. */
  read(path: string): Promise<Buffer>;
}

/** Where the folder is served: `~/` is the root of any host. */
export interface BuildOptions {
  readonly urlPrefix: string;
}

/** Whether a file of a build is one that uploads take: a script, or the map of one. */
export const isUploaded = (path: string): boolean => typeOf(path) !== undefined;

/**
 * The files of a build as a bundle lists them, one read after the other. A script without a reference to its map gets one
 * where a map of its name lies beside it, as bundlers write "hidden" source maps.
 */
export async function* filesOf(folder: BuildFolder, { urlPrefix }: BuildOptions): AsyncGenerator<BundleFile> {
  const all = new Set(folder.paths);
  const prefix = urlPrefix.replace(/\/+$/, "");
  for (const path of folder.paths) {
    const type = typeOf(path);
    if (type === undefined) continue;
    const file = { path, url: `${prefix}/${path}`, type, headers: {}, content: await folder.read(path) };
    const isHidden = type === "minified_source" && all.has(`${path}.map`) && !namesMap(file);
    yield isHidden ? { ...file, headers: { sourceMap: `${path.slice(path.lastIndexOf("/") + 1)}.map` } } : file;
  }
}

function namesMap(file: BundleFile): boolean {
  const { sourceMapUrl, hasInlineMap } = identifiersOf(file);
  return sourceMapUrl !== undefined || hasInlineMap === true;
}

const script = /\.(?:[cm]?js|jsbundle|bundle)$/i;

function typeOf(path: string): BundleFileType | undefined {
  if (/\.map$/i.test(path)) return /\.css\.map$/i.test(path) ? undefined : "source_map";
  return script.test(path) ? "minified_source" : undefined;
}
