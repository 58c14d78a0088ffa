/** Reads a list page by page, to its end. */
export async function* pages<P extends { readonly nextPageToken: string }>(
  read: (pageToken: string) => Promise<P>,
): AsyncGenerator<P> {
  for await (const page of pages((pageToken) => read(pageToken))) {
    yield page;
  }
}
