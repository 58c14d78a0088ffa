/** Reads a list page by page, to its end. */
export async function* pages<P extends { readonly nextPageToken: string }>(
  read: (pageToken: string) => Promise<P>,
): AsyncGenerator<P> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}
