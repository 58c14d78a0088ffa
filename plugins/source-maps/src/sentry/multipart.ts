import { hash } from "node:crypto";
import { gunzip, type InputType, type ZlibOptions } from "node:zlib";
import { Busboy } from "@fastify/busboy";

/** The limits of a request with chunks, which the upload's options announce to the client. */
export interface ChunkLimits {
  /** `chunksPerRequest`. */
  readonly maxChunks: number;
  /** `chunkSize`, in bytes before compression. */
  readonly maxChunkBytes: number;
}

/** A piece of a file that is uploaded. */
interface Chunk {
  /** The SHA-1 of the content, 40 lower-case hexadecimal digits. */
  readonly sha1: string;
  readonly content: Buffer;
}

/**
 * Reads the chunks of an upload from its multipart/form-data: parts named `file`, or `file_gzip` with gzip (RFC 1952). Their
 * filename is the SHA-1 of the chunk before compression. Inflates one at a time, off the event loop and up to
 * the size of a chunk. Throws UploadError when anything is not as expected: then no chunk of the request counts.
 */
export async function readChunks(
  body: Uint8Array,
  contentType: string,
  limits: ChunkLimits,
): Promise<readonly Chunk[]> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const chunks: Chunk[] = [];
  for (const file of await formFiles(bytes, contentType, limits.maxChunks)) chunks.push(await readChunk(file, limits));
  if (chunks.length === 0)
    throw new UploadError(
      "The request has no chunk: a part with a Content-Disposition of the form form-data; name=...; filename=...",
    );
  return chunks;
}

async function readChunk(file: FormFile, limits: ChunkLimits): Promise<Chunk> {
  const { name, filename: sha1, encoding, content: sent } = file;
  if (name !== "file" && name !== "file_gzip") {
    throw new UploadError(`A part is named ${quoted(name)}; chunks are parts named "file" or "file_gzip".`);
  }
  if (!/^[0-9a-f]{40}$/.test(sha1)) {
    throw new UploadError(
      `A part's filename is ${quoted(sha1)}; it must be the chunk's SHA-1, 40 lower-case hexadecimal digits.`,
    );
  }
  refuseEncoding(sha1, encoding);
  const content = name === "file_gzip" ? await inflate(sha1, sent, limits.maxChunkBytes) : sent;
  if (content.length > limits.maxChunkBytes) throw tooLarge(sha1, limits.maxChunkBytes);
  const actual = hash("sha1", content);
  if (actual !== sha1) {
    // Clients say so by a Content-Encoding of the part, or of the whole request, which is not one of the body.
    if (content.subarray(0, 4).equals(zstdMagic)) throw zstdRefusal(sha1);
    throw new UploadError(
      `The chunk ${sha1} was damaged in transit: its content has the SHA-1 ${actual}. Send it again.`,
    );
  }
  return { sha1, content };
}

/** RFC 7578, section 4.7, ends the use of a Content-Transfer-Encoding; some libraries send one of the harmless values. */
function refuseEncoding(sha1: string, encoding: string): void {
  if (encoding === "binary" || encoding === "8bit" || encoding === "7bit") return;
  throw new UploadError(
    `The chunk ${sha1} has the Content-Transfer-Encoding ${quoted(encoding)}. Send its bytes as they are.`,
  );
}

/** Node's types lack the form of the result that `info: true` asks for. */
const gunzipWithInfo = gunzip as unknown as (
  sent: InputType,
  options: ZlibOptions,
  done: (error: Error | null, result: { buffer: Buffer; engine: { bytesWritten: number } }) => void,
) => void;

async function inflate(sha1: string, sent: Buffer, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  gunzipWithInfo(sent, { maxOutputLength: maxBytes, chunkSize: 64 * 1024, info: true }, (error, result) => {
    if (error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(sha1, maxBytes));
    else if (error) reject(new UploadError(`The chunk ${sha1} is not complete and valid gzip. Send it again.`));
    // Node ignores zeros that follow the last member.
    else if (result.engine.bytesWritten !== sent.length)
      reject(new UploadError(`The chunk ${sha1} has bytes after its gzip.`));
    else resolve(result.buffer);
  });
  return promise;
}

/** RFC 8878, section 3.1.1. */
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Clients compress parts with zstd if the upload's options offer it; ours offer gzip only. */
function zstdRefusal(sha1: string): UploadError {
  return new UploadError(
    `The chunk ${sha1} is compressed with zstd, which the upload's options do not offer. Send it plain or with gzip, as "file_gzip".`,
  );
}

function tooLarge(sha1: string, maxBytes: number): UploadError {
  return new UploadError(`The chunk ${sha1} is larger than the ${maxBytes} bytes that the upload's options allow.`);
}

/** A client's text in a sentence. */
const quoted = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);

/** A file of a form: a part with its name. */
interface FormFile {
  /** Empty if the part has no name. */
  readonly name: string;
  /** Without folders; empty if the part has no file name. */
  readonly filename: string;
  /** The Content-Transfer-Encoding of the part. */
  readonly encoding: string;
  readonly content: Buffer;
}

/** The parts of a request; the clients send headers of 200 bytes in each. */
const limits = { headerSize: 4 * 1024, headerPairs: 32 };

/**
 * Reads a body of multipart/form-data (RFC 7578) that is in memory as a whole, every part as a file, `most` of them. Throws
 * UploadError if it has more, was cut off on its way, or is not such a form. A part that names nothing is left out.
 */
export async function formFiles(body: Buffer, contentType: string, most: number): Promise<readonly FormFile[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const form = formOf(contentType, most);
  const files: FormFile[] = [];
  const refuse = () =>
    reject(
      new UploadError(
        "The body is not a complete form with the boundary from its Content-Type: it was cut off in transit, or damaged. Send it again.",
      ),
    );
  form.on("file", (name: string | undefined, stream, filename: string | undefined, encoding) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => {
      const content = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      files.push({ name: name ?? "", filename: filename ?? "", encoding, content });
    });
    stream.on("error", refuse);
  });
  // Thrown through the parser, which would otherwise go on: 2 s for a body of 16 MiB of nothing but boundaries.
  const tooMany = () => {
    throw new UploadError(`The form has more than ${most} parts.`);
  };
  form.on("filesLimit", tooMany);
  form.on("partsLimit", tooMany);
  form.on("error", refuse);
  form.on("finish", resolve);
  try {
    form.end(body);
  } catch (error) {
    reject(error);
  }
  await promise;
  return files;
}

function formOf(contentType: string, most: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { ...limits, files: most, parts: most },
      isPartAFile: () => true,
    });
  } catch {
    throw new UploadError("The Content-Type must be multipart/form-data with a boundary.");
  }
}

/** A refused chunk upload: HTTP status 400 and a sentence for the person who reads the build log. */
export class UploadError extends Error {
  readonly status = 400;

  constructor(sentence: string) {
    super(sentence);
    this.name = "UploadError";
  }
}
