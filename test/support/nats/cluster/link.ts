import { startTcpProxy, type TcpProxy } from "../../http/tcp-proxy.ts";
import { socketOf, throughPort } from "../../database/postgresql.ts";

/** A wire to all servers of an address. */
export interface Link extends Pick<TcpProxy, "cut" | "swallow" | "mend"> {
  /** The address that leads over the wire. */
  readonly url: string;
  /** As those of TcpProxy, of whichever server the text goes to first. */
  eat(text: string): Promise<void>;
  eatAnswerTo(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Lays a wire to the servers of an address, which may be several joined by commas. */
export async function startLink(url: string): Promise<Link> {
  const targets = url.split(",").map((one) => new URL(one));
  const proxies = await Promise.all(
    targets.map(({ href, port, searchParams }) =>
      startTcpProxy(searchParams.has("host") ? socketOf(href) : Number(port)),
    ),
  );
  const addresses = targets.map(({ href }, n) => throughPort(href, proxies[n]?.port ?? 0));
  return {
    url: addresses.join(","),
    cut: () => proxies.forEach((proxy) => proxy.cut()),
    swallow: (...ways) => proxies.forEach((proxy) => proxy.swallow(...ways)),
    mend: () => proxies.forEach((proxy) => proxy.mend()),
    eat: (text) => Promise.race(proxies.map((proxy) => proxy.eat(text))),
    eatAnswerTo: (text) => Promise.race(proxies.map((proxy) => proxy.eatAnswerTo(text))),
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}
