/**
 * Scheme and host of this service, for links in answers: the configured base address, as a proxy may speak TLS for us;
 * otherwise the host that the caller used; empty, for relative links, when that is not a host name.
 */
export function originOf(host: string | undefined, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host ?? "") ? `http://${host}` : "";
}
