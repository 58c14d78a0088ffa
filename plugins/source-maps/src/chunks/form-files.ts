import { Busboy } from "@fastify/busboy";

/** A file of a form: a part with its name. */
export interface FormFile {
  /** Empty: the part has none. */
  readonly name: string;
  /** Without folders. Empty: the part has none. */
  readonly filename: string;
  /** The Content-Transfer-Encoding of the part. */
  readonly encoding: string;
  readonly content: Buffer;
}

/** The parts of a request; the clients send headers of 200 bytes in each. */
const limits = { headerSize: 4 * 1024, headerPairs: 32 };

/**
 * Reads a body of multipart/form-data (RFC 7578) that is in memory as a whole, every part as a file, `most` of them. Throws
 * UploadError where it has more, was cut off on its way, or is not such a form. A part that names nothing is left out.
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

/** A refused chunk upload: HTTP status 400 and a sentence for the person whose build log shows it. */
export class UploadError extends Error {
  readonly status = 400;

  constructor(sentence: string) {
    super(sentence);
    this.name = "UploadError";
  }
}
