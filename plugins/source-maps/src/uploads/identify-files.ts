import type { PairFile } from "../bundle/pair-file.ts";
import type { Bundle, BundleFile } from "../bundle/read-bundle.ts";
import type { MapCompiler } from "../mapping/compile-in-worker.ts";
import type { Identified, PackedFile } from "../mapping/thread-jobs.ts";

/** A file of a bundle with what it says of the other half of its pair, and of a source the index of its lines. */
export type UploadedFile = PairFile & Pick<BundleFile, "headers"> & Pick<Identified, "lines">;

/** Verifies each file, and reads what it says of the other half of its pair. Throws BundleError at a damaged one. */
export async function identifyFiles(
  compiler: MapCompiler,
  bundle: Bundle,
  signal: AbortSignal,
): Promise<UploadedFile[]> {
  const identified: UploadedFile[] = [];
  for await (const group of groupsOf(bundle)) {
    const found = await compiler.identify(group.map(({ type, headers, packed }) => ({ type, headers, packed })));
    for (const [n, { path, url, type, headers }] of group.entries())
      identified.push({ path, url, type, headers, debugIds: [], ...found[n] });
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
