import { isIP } from "node:net";

/** Whether a host name, from an address or of a server, is the machine itself. */
export function isLocalhost(host: string): boolean {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/** Whether the host of an address is the machine itself; an address without a scheme counts as well. */
export function isOnLocalhost(url: string): boolean {
  if (url === "") return false;
  const host = URL.parse(url)?.hostname || URL.parse(`http://${url}`)?.hostname; // `localhost:3000` reads as a scheme
  return isLocalhost(host ?? "");
}
