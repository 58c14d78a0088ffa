import type { Host } from "@faultline/plugin";
import { storeLineIndexes } from "../blobs/line-indexes.ts";
import { writeBlobs, type Written } from "../blobs/write-blobs.ts";
import type { CompiledMap } from "../mapping/compile.ts";
import { storeArtifacts, type BundleIds, type NewArtifact } from "./store-artifacts.ts";
import { writeSources, type StoredSource } from "./stored-source.ts";

/** A minified file whose map was compiled. */
export interface CompiledFile {
  readonly url: string;
  readonly debugIds: readonly string[];
  readonly compiled: CompiledMap;
}

/** Small maps that are stored together, and about the bytes that they take in memory. */
const together = { maps: 16, bytes: 512 * 1024 };

/** Of a source beside its name and its text. */
const sourceBytes = 128;

/** Maps that wait for others to share their transactions: each map alone takes 15 statements and three syncs. */
export class WaitingMaps {
  #files: CompiledFile[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#files.length >= together.maps || this.#bytes >= together.bytes;
  }

  add(file: CompiledFile): void {
    this.#files.push(file);
    this.#bytes += bytesOf(file.compiled);
  }

  /** All that wait; none does afterwards. */
  take(): readonly CompiledFile[] {
    const taken = this.#files;
    [this.#files, this.#bytes] = [[], 0];
    return taken;
  }
}

/** Names count as well: a map may have 100,000 sources without a text. */
function bytesOf({ index, sources }: CompiledMap): number {
  let bytes = index.length;
  for (const { name, content } of sources) bytes += sourceBytes + 2 * name.length + (content?.length ?? 0);
  return bytes;
}

/** Stores the index of each map, its list of sources, and their texts. Returns the bytes that this added. */
export async function storeMaps(host: Host, bundle: BundleIds, files: readonly CompiledFile[]): Promise<number> {
  const write = (contents: readonly Uint8Array[]): Promise<readonly Written[]> =>
    writeBlobs(host, bundle.project_id, contents);
  const withText = files.flatMap(({ compiled }) => compiled.sources.filter(({ content }) => content?.length));
  const texts = withText.flatMap(({ content }) => content ?? []);
  const contents = await write([...files.map(({ compiled }) => compiled.index), ...texts]);
  const textOf = new Map(withText.map((source, n) => [source, contents[files.length + n]?.id]));
  const indexes = withText.flatMap((source) => {
    const blobId = textOf.get(source);
    return source.lines && blobId !== undefined ? { blob_id: blobId, places: Buffer.from(source.lines.buffer) } : [];
  });
  await storeLineIndexes(host.database, indexes);
  const lists = await write(files.map(({ compiled }) => writeSources(storedSources(compiled, textOf))));
  const artifacts = files.map(({ url, debugIds, compiled }, n): NewArtifact => {
    const [index, sources] = [contents[n]?.id ?? 0, lists[n]?.id ?? 0];
    const ofTexts = compiled.sources.flatMap((source) => textOf.get(source) ?? []);
    return {
      kind: "mapped",
      url,
      debugIds,
      blobs: { index, sources, all: [...new Set([...ofTexts, index, sources])] },
    };
  });
  await storeArtifacts(host, bundle, artifacts);
  return [...contents, ...lists].reduce((sum, { added }) => sum + added, 0);
}

/** The list of a map's sources, with the blob of each text. */
function storedSources(
  { sources }: CompiledMap,
  textOf: ReadonlyMap<CompiledMap["sources"][number], number | undefined>,
): StoredSource[] {
  return sources.map((source) => {
    const { name, isIgnored } = source;
    return { name, isIgnored, blobId: textOf.get(source) ?? null };
  });
}
