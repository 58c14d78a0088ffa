import { parseHeaderValue, type ParametrisedHeader } from "./header-parameters.ts";
import { UploadError } from "./upload-error.ts";

/** A part of a form. */
export interface FormPart {
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Of its Content-Disposition. */
  readonly parameters: ParametrisedHeader["parameters"];
  /** A view of the body. */
  readonly content: Buffer;
}

/** Bytes of the headers of a part; the clients send 200. */
const maxHeaderBytes = 4 * 1024;

/**
 * Splits a body of multipart/form-data (RFC 7578, RFC 2046 section 5.1.1) that is in memory as a whole. Preamble and
 * epilogue are skipped, as section 5.1.1 says. Throws UploadError on anything else that the grammar does not know.
 */
export function* formParts(body: Buffer, contentType: string): Generator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, "latin1");
  // The first delimiter needs no line end before it when nothing precedes it.
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  const first = isFirst ? 0 : body.indexOf(delimiter);
  if (first < 0) throw new UploadError("The body has no part with the boundary from its Content-Type.");
  let line = readDelimiterEnd(body, first + delimiter.length - (isFirst ? 2 : 0));
  while (!line.isLast) {
    const end = body.indexOf(delimiter, line.end - 2); // an empty part's delimiter begins with the line end before it
    if (end < 0) throw new UploadError("The body ends within a part because it was cut off in transit. Send it again.");
    yield readPart(body.subarray(line.end, Math.max(line.end, end)));
    line = readDelimiterEnd(body, end + delimiter.length);
  }
}

/** RFC 2046, section 5.1.1: 1 to 70 characters of this set, of which the last is no space. */
const boundaryForm = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

function boundaryOf(contentType: string): string {
  const header = parseHeaderValue(contentType);
  if (header?.value !== "multipart/form-data") {
    throw new UploadError("The Content-Type must be multipart/form-data with a boundary.");
  }
  const boundary = header.parameters.get("boundary");
  if (boundary === undefined) throw new UploadError("The Content-Type multipart/form-data names no boundary.");
  if (!boundaryForm.test(boundary)) {
    throw new UploadError("The boundary in the Content-Type must have 1 to 70 characters that RFC 2046 allows.");
  }
  return boundary;
}

/** What follows a boundary: `--` where it was the last, then blanks, and the end of the line. */
function readDelimiterEnd(body: Buffer, start: number): { readonly isLast: boolean; readonly end: number } {
  const isLast = body[start] === HYPHEN && body[start + 1] === HYPHEN;
  let end = isLast ? start + 2 : start;
  while (body[end] === SPACE || body[end] === TAB) end++;
  if (isLast && end === body.length) return { isLast, end };
  if (body[end] === CR && body[end + 1] === LF) return { isLast, end: end + 2 };
  if (end >= body.length)
    throw new UploadError("The body ends after a boundary because it was cut off in transit. Send it again.");
  throw new UploadError("A boundary in the body is not at the end of its line.");
}

function readPart(part: Buffer): FormPart {
  const { headers, end } = readHeaders(part);
  const disposition = parseHeaderValue(headers.get("content-disposition") ?? "");
  if (disposition?.value !== "form-data") {
    throw new UploadError(
      "A part of the body has no Content-Disposition of the form form-data; name=...; filename=...",
    );
  }
  return { headers, parameters: disposition.parameters, content: part.subarray(end) };
}

function readHeaders(part: Buffer): { readonly headers: ReadonlyMap<string, string>; readonly end: number } {
  const headers = new Map<string, string>();
  let start = 0;
  while (true) {
    const end = part.subarray(0, maxHeaderBytes).indexOf("\r\n", start);
    if (end < 0)
      throw new UploadError(`A part's headers do not end with an empty line within ${maxHeaderBytes} bytes.`);
    if (end === start) return { headers, end: end + 2 };
    const [, name, value] = headerLine.exec(part.toString("latin1", start, end)) ?? [];
    if (name === undefined || value === undefined)
      throw new UploadError("A header of a part does not have the form Name: value.");
    if (headers.has(name.toLowerCase())) throw new UploadError(`A part has the header ${name} twice.`);
    headers.set(name.toLowerCase(), value.trim());
    start = end + 2;
  }
}

/** RFC 9110, section 5.1: a token. Lines that continue the one before are obsolete, and refused. */
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([^\r\n\0]*)$/;

const CR = 0x0d;
const LF = 0x0a;
const HYPHEN = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;
