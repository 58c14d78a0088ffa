/** One word of a search: text anywhere, or a key with a value. */
export type SearchToken = { readonly text: string } | Tag;

export interface Tag {
  readonly key: string;
  readonly value: string;
}
