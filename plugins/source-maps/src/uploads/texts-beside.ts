import { mapAddresses, type PairFile } from "../bundle/pairs.ts";
import { defaultBundleLimits } from "../bundle/bundle-error.ts";
import type { Bundle, BundleFile } from "../bundle/read-bundle.ts";
import type { CompiledMap } from "../mapping/compile.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import type { Identified, PackedFile } from "../mapping/thread-jobs.ts";
import type { ReadingSteps } from "./reading-turns.ts";

/** Bytes that are inflated for the maps of a bundle: several maps may name one source. */
const mostBytes = 1024 ** 3;

const tooMuch = `The source files of the bundle have more than ${mostBytes / 1024 ** 3} GiB, counted once for each map that names them: the others show no text. Let the bundler write sourcesContent into its maps.`;

/** The sources that a bundle holds as separate files, for maps without `sourcesContent`, such as the maps of dart2js. */
export class TextsBeside {
  readonly #bundle: Bundle;
  readonly #byUrl: ReadonlyMap<string, UploadedFile>;
  readonly #sizes: ReadonlyMap<string, number>;
  #left = mostBytes;
  #isCut = false;

  constructor(bundle: Bundle, files: readonly UploadedFile[]) {
    const sources = files.filter(({ type }) => type === "source");
    this.#bundle = bundle;
    this.#byUrl = new Map(sources.map((file) => [file.url, file]));
    this.#sizes = new Map(sources.map(({ path }) => [path, bundle.sizeOf(path)]));
  }

  /** Sentences for the person who uploaded the bundle. */
  get warnings(): readonly string[] {
    return this.#isCut ? [tooMuch] : [];
  }

  /** With the texts that its map lacks. `mapUrl`: by which the names of its sources are resolved. */
  async complete(compiled: CompiledMap, mapUrl: string): Promise<CompiledMap> {
    if (this.#byUrl.size === 0 || compiled.sources.every(({ content }) => content)) return compiled;
    let left = defaultBundleLimits.fileBytes; // as a map with the texts in it
    const sources: CompiledMap["sources"][number][] = [];
    for (const source of compiled.sources) {
      const file = source.content ? undefined : this.#fileOf(source.name, mapUrl);
      const size = file ? (this.#sizes.get(file.path) ?? 0) : 0;
      if (file && size <= Math.min(left, this.#left)) {
        const content = Uint8Array.from(await this.#bundle.content(file.path));
        sources.push({ ...source, content, ...(file.lines && { lines: file.lines }) });
        left -= size;
        this.#left -= size;
        continue;
      }
      if (file) this.#isCut = true;
      sources.push(source);
    }
    return { ...compiled, sources };
  }

  #fileOf(name: string, mapUrl: string): UploadedFile | undefined {
    for (const url of mapAddresses(name, mapUrl)) {
      const file = this.#byUrl.get(url);
      if (file) return file;
    }
    return undefined;
  }
}

/** A file of a bundle with what it says of the other half of its pair, and of a source the index of its lines. */
export type UploadedFile = PairFile & Pick<BundleFile, "headers"> & Pick<Identified, "lines">;

/** Verifies each file, and reads what it says of the other half of its pair. Throws BundleError at a damaged file. */
export async function* identifyFiles(
  compiler: MapCompiler,
  bundle: Bundle,
  signal: AbortSignal,
): ReadingSteps<UploadedFile[]> {
  const identified: UploadedFile[] = [];
  for await (const group of groupsOf(bundle)) {
    const found = await compiler.identify(group.map(({ type, headers, packed }) => ({ type, headers, packed })));
    for (const [n, { path, url, type, headers }] of group.entries())
      identified.push({ path, url, type, headers, debugIds: [], ...found[n] });
    yield group.length;
    signal.throwIfAborted();
  }
  return identified;
}

/** Files that are sent to the thread together, and about the compressed bytes that they take in memory. */
const together = { files: 64, bytes: 1024 ** 2 };

async function* groupsOf(bundle: Bundle): AsyncGenerator<readonly (Bundle["list"][number] & PackedFile)[]> {
  let group: (Bundle["list"][number] & PackedFile)[] = [];
  let bytes = 0;
  for (const file of bundle.list) {
    const packed = await bundle.packed(file.path);
    group.push({ ...file, packed });
    bytes += packed.sent.length;
    if (group.length < together.files && bytes < together.bytes) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}
