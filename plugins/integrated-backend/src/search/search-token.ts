/** A term that an index looks up: a text in one of its forms, or the value of a column or of a tag. */
export type SearchToken =
  | { readonly of: "text" | "message"; readonly forms: readonly [string, ...string[]] }
  | { readonly of: "level" | "type"; readonly value: string }
  | ({ readonly of: "tag" } & Tag);

export interface Tag {
  readonly key: string;
  readonly value: string;
}
