import { cursorLinks, pageHeaders, type Address, type Numbered } from "./pages.ts";
import { list, type Schema } from "./schema.ts";
import type { Shape } from "./shape.ts";

/** A status with a body that becomes JSON, with one that is JSON already, or with none. */
export interface RestAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly json?: string;
}

/** The answer of an operation that succeeds: its description in the document, and how a result is written. */
export interface Answer<Result, Params = unknown> {
  readonly status: number;
  readonly description: string;
  /** Absent: it has no body. */
  readonly schema?: Schema;
  /** The headers of pages that it has. */
  readonly pages?: "numbered" | "cursor";
  /** Further headers that it may have, and what each says. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `address`: the address of the call, by which pages are linked. */
  readonly write: (result: Result, call: { readonly params: Params; readonly address: Address }) => RestAnswer;
}

/** One message. */
export function single<Message>(
  status: number,
  description: string,
  { schema, write }: Shape<Message>,
): Answer<Message> {
  return { status, description, schema, write: (message) => ({ status, body: write(message) }) };
}

/** A whole list. */
export function whole<Message>(description: string, { schema, write }: Shape<Message>): Answer<readonly Message[]> {
  return {
    status: 200,
    description,
    schema: list(schema),
    write: (messages) => ({ status: 200, body: messages.map(write) }),
  };
}

/** A page of a list that is asked for by `numbered`. */
export function numberedPage<Message>(
  description: string,
  { schema, write }: Shape<Message>,
): Answer<{ readonly items: readonly Message[]; readonly totalSize: number }, Numbered> {
  return {
    status: 200,
    description,
    schema: list(schema),
    pages: "numbered",
    write: ({ items, totalSize }, { params, address }) => ({
      status: 200,
      headers: pageHeaders(address, params, totalSize),
      body: items.map(write),
    }),
  };
}

/** A page of a list that is asked for by `byCursor`. `further`: headers that a page may have, and what each says. */
export function cursorPage<Message>(
  description: string,
  { schema, write }: Shape<Message>,
  further: Readonly<Record<string, string>> = {},
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
    headers: further,
    write: ({ items, headers, ...cursors }, { address }) => ({
      status: 200,
      headers: { ...cursorLinks(address, cursors), ...headers },
      body: items.map(write),
    }),
  };
}

/** No body. */
export const noContent: Answer<unknown> = {
  status: 204,
  description: "Done; there is no body.",
  write: () => ({ status: 204 }),
};
