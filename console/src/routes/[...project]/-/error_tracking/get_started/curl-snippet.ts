/** An event without an SDK, sent to the store endpoint. Empty if `dsn` is not a DSN. */
export function curlSnippet(dsn: string): string {
  const address = storeAddress(dsn);
  if (address === "") return "";
  return `curl -X POST '${address}' -H 'Content-Type: application/json' -d '{"message":"Test from Faultline","level":"error"}'`;
}

/** The store endpoint of a DSN, with its key. Empty if `dsn` is not a DSN. */
export function storeAddress(dsn: string): string {
  const parts = /^(https?):\/\/(\w+)(?::\w+)?@([^/]+)\/(?:(.+)\/)?(\d+)$/.exec(dsn);
  if (parts === null) return "";
  const [, scheme, key, host, prefix, projectId] = parts;
  const base = `${scheme}://${host}${prefix === undefined ? "" : `/${prefix}`}`;
  return `${base}/api/${projectId}/store/?sentry_version=7&sentry_key=${key}`;
}
