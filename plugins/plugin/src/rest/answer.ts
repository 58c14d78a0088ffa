import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { cursorLinks, pageHeaders, type Address, type Numbered } from "./pages.ts";
import { list, type Schema } from "./schema.ts";
import type { Shape } from "./shape.ts";

/** A status with a value that becomes JSON, with JSON text, or without a body. */
export interface RestAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly json?: string;
}

/** The answer of a successful operation: its description in the document, and how a result is written. */
export interface Answer<Result, Params = unknown> {
  readonly status: number;
  readonly description: string;
  /** The schema of the body. Undefined if there is no body. */
  readonly schema?: Schema;
  /** The paging headers that it has. */
  readonly pages?: "numbered" | "cursor";
  /** Further headers that it may have, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Finds the result in a response of the method, if the answer's form is derived from a message. Throws if the
   * response cannot have it.
   */
  readonly taking?: (output: DescMessage) => (response: Response) => unknown;
  /** `address` is the address of the call, from which links to pages are made. */
  readonly write: (result: Result, call: { readonly params: Params; readonly address: Address }) => RestAnswer;
}

/** A response of the core, by the field names in code. */
type Response = Readonly<Record<string, unknown>>;

/** One message. */
export function single<Message>(
  status: number,
  description: string,
  { schema, message, write }: Shape<Message>,
): Answer<Message> {
  return {
    status,
    description,
    schema,
    ...(message && { taking: (output) => partOf(output, message) }),
    write: (result) => ({ status, body: write(result) }),
  };
}

/** A complete list. */
export function whole<Message>(
  description: string,
  { schema, message, write }: Shape<Message>,
): Answer<readonly Message[]> {
  return {
    status: 200,
    description,
    schema: list(schema),
    ...(message && { taking: (output) => listOf<Message>(output, message) }),
    write: (messages) => ({ status: 200, body: messages.map(write) }),
  };
}

/** A page of a list with the parameters `numbered`. */
export function numberedPage<Message>(
  description: string,
  { schema, message, write }: Shape<Message>,
): Answer<{ readonly items: readonly Message[]; readonly totalSize: number }, Numbered> {
  return {
    status: 200,
    description,
    schema: list(schema),
    pages: "numbered",
    ...(message && {
      taking(output) {
        const items = listOf<Message>(output, message);
        return (response) => ({ items: items(response), totalSize: Number(response["totalSize"]) });
      },
    }),
    write: ({ items, totalSize }, { params, address }) => ({
      status: 200,
      headers: pageHeaders(address, params, totalSize),
      body: items.map(write),
    }),
  };
}

/** Headers that a page may have in addition: their descriptions, and their values for a response. */
interface FurtherHeaders<Output> {
  readonly headers: Readonly<Record<string, string>>;
  readonly of: (response: Output) => Readonly<Record<string, string>>;
}

/** A page of a list with the parameters `byCursor`. */
export function cursorPage<Message, Output>(
  description: string,
  { schema, message, write }: Shape<Message>,
  further?: FurtherHeaders<Output>,
): Answer<{
  readonly items: readonly Message[];
  readonly next: string;
  readonly previous?: string;
  readonly headers?: Readonly<Record<string, string>>;
}> {
  return {
    status: 200,
    description,
    schema: list(schema),
    pages: "cursor",
    headers: further?.headers ?? {},
    ...(message && {
      taking(output) {
        const items = listOf<Message>(output, message);
        return (response) => ({
          items: items(response),
          next: String(response["nextPageToken"] ?? ""),
          previous: String(response["previousPageToken"] ?? ""),
          headers: further?.of(response as Output) ?? {}, // a response of the method
        });
      },
    }),
    write: ({ items, headers, ...cursors }, { address }) => ({
      status: 200,
      headers: { ...cursorLinks(address, cursors), ...headers },
      body: items.map(write),
    }),
  };
}

/** The same body, or no body, after every call, whatever the method responds. */
export function constant(status: number, description: string, schema?: Schema, body?: unknown): Answer<unknown> {
  return {
    status,
    description,
    ...(schema && { schema }),
    taking: () => () => undefined,
    write: () => ({ status, body }),
  };
}

/** No body. */
export const noContent = constant(204, "Done; there is no body.");

/** The response itself if it has the fields of the message. Otherwise the part of it that is such a message. */
function partOf(output: DescMessage, message: DescMessage): (response: Response) => unknown {
  const isIn = ({ localName, fieldKind, message: part }: DescField) =>
    output.field[localName]?.fieldKind === fieldKind && output.field[localName].message === part;
  if (message.fields.every(isIn)) return (response) => response;
  const name = output.fields.find((field) => field.fieldKind === "message" && field.message === message)?.localName;
  if (name === undefined) throw new Error(`${output} has no ${message.name}.`);
  return (response) => present(response[name]);
}

/** The list of such messages in a response. */
function listOf<Message>(output: DescMessage, message: DescMessage): (response: Response) => readonly Message[] {
  const name = output.fields.find((field) => field.fieldKind === "list" && field.message === message)?.localName;
  if (name === undefined) throw new Error(`${output} has no list of ${message.name}.`);
  return (response) => response[name] as readonly Message[]; // checked above
}

/** A part of a response that is always present. Throws if it is missing. */
export function present<Part>(found: Part | undefined): Part {
  if (found === undefined) throw new Error("A response lacks a part that it always has.");
  return found;
}
