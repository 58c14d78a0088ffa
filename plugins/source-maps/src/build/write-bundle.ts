import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import type { BundleFile } from "../bundle/read-bundle.ts";

const deflate = promisify(deflateRaw);

/**
 * An artifact bundle of files (section 2.1), piece by piece: it has one file at a time in memory. The same files make the same
 * bytes. Its sizes are those of a zip without zip64: each file and all of it must have less than 4 GiB, and there
 * are at most 65,534 files; `defaultBundleLimits` are lower.
 */
export async function* writeBundle(files: AsyncIterable<BundleFile>): AsyncGenerator<Buffer> {
  const listed: Record<string, object> = {};
  const directory: Buffer[] = [];
  let at = 0;
  const written = (piece: Buffer) => {
    at += piece.length;
    return piece;
  };
  yield written(start);
  for await (const { path, url, type, headers, content } of files) {
    const name = `files/_/_/${path}`;
    listed[name] = { url, type, headers: headers.sourceMap === undefined ? {} : { sourcemap: headers.sourceMap } };
    const entry = await entryOf(name, content, at);
    directory.push(entry.inDirectory);
    for (const piece of entry.pieces) yield written(piece);
  }
  const manifest = await entryOf("manifest.json", Buffer.from(JSON.stringify({ files: listed })), at);
  directory.push(manifest.inDirectory);
  for (const piece of manifest.pieces) yield written(piece);
  const ofDirectory = Buffer.concat(directory);
  yield ofDirectory;
  yield endRecord({ count: directory.length, start: at, bytes: ofDirectory.length });
}

/** `SYSB` and the version 2; offsets count from here. */
const start = Buffer.from("SYSB\u0002\0\0\0", "latin1");

/** PKWARE's APPNOTE 6.3.10, sections 4.3.7 and 4.3.12. */
async function entryOf(name: string, content: Buffer, offset: number) {
  const data = await deflate(content);
  const nameBytes = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0); // version 2.0
  common.writeUInt16LE(0x0800, 2); // the name is UTF-8
  common.writeUInt16LE(8, 4); // deflated
  common.writeUInt16LE(0x21, 8); // 1980-01-01: the same files make the same bytes
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(nameBytes.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  const inDirectory = Buffer.concat([signature(0x02014b50), versionMadeBy, common, rest, nameBytes]);
  return { pieces: [signature(0x04034b50), common, nameBytes, data], inDirectory };
}

const versionMadeBy = Buffer.from([20, 0]);

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Section 4.3.16. */
function endRecord(directory: { readonly count: number; readonly start: number; readonly bytes: number }): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.count, 4);
  end.writeUInt16LE(directory.count, 6);
  end.writeUInt32LE(directory.bytes, 8);
  end.writeUInt32LE(directory.start, 12);
  return Buffer.concat([signature(0x06054b50), end]);
}
