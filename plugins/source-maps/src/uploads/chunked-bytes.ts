import type { Database } from "@faultline/plugin";
import type { Selectable } from "kysely";
import type { BundleBytes } from "../bundle/bundle-bytes.ts";
import type { BundleTable, Tables } from "../tables.ts";
import { isWholeBuffer } from "../bundle/release-bytes.ts";
import { UploadFault } from "./upload-fault.ts";

/** Chunks that stay in memory while a bundle is read: 4 MiB. */
const keptChunks = 8;

/** The bytes of a bundle, read from its chunks where they are needed. Throws UploadFault when one is gone. */
export async function chunkedBytes(
  database: Database,
  { user_id, chunks }: Pick<Selectable<BundleTable>, "user_id" | "chunks">,
): Promise<BundleBytes> {
  const names = JSON.parse(chunks) as string[]; // as the plugin stored it
  const rows = await database
    .read<Tables>()
    .selectFrom("source_chunk")
    .select(["sha1", "size"])
    .where("user_id", "=", user_id)
    .execute();
  const sizes = new Map(rows.map(({ sha1, size }) => [sha1.toString("hex"), Number(size)]));
  const starts: number[] = [];
  let end = 0;
  for (const name of names) {
    starts.push(end);
    end += sizes.get(name) ?? gone();
  }
  const kept = new Map<number, Buffer>();
  const chunk = async (place: number): Promise<Buffer> => {
    const known = kept.get(place);
    if (known) return known;
    const row = await database
      .read<Tables>()
      .selectFrom("source_chunk")
      .select("content")
      .where("user_id", "=", user_id)
      .where("sha1", "=", Buffer.from(names[place] ?? "", "hex"))
      .executeTakeFirst();
    const content = row?.content ?? gone();
    kept.set(place, content);
    const [oldest] = kept.keys();
    if (kept.size > keptChunks && oldest !== undefined) kept.delete(oldest);
    return content;
  };
  return {
    size: end,
    async read(start, stop) {
      const parts: Buffer[] = [];
      let place = starts.findLastIndex((first) => first <= start);
      for (let at = start; at < stop; place += 1) {
        const content = await chunk(place);
        const from = at - (starts[place] ?? 0);
        const part = content.subarray(from, from + stop - at);
        parts.push(part);
        at += part.length;
      }
      const [only] = parts;
      // A whole chunk is copied: who gets all of a buffer may hand it over, and the chunk is kept.
      return parts.length === 1 && only && !isWholeBuffer(only) ? only : Buffer.concat(parts);
    },
  };
}

function gone(): never {
  throw new UploadFault("A chunk of the upload is no longer stored: chunks are kept for a day. Upload it again.");
}
