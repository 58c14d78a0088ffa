import { startTcpProxy, type TcpProxy } from "../../http/tcp-proxy.ts";
import { socketOf, throughPort } from "../../database/postgresql.ts";

/** A connection to all servers of an address, which tests can cut. */
export interface Link extends Pick<TcpProxy, "cut" | "swallow" | "mend"> {
  /** The address that leads through the proxies. */
  readonly url: string;
  /** Like `eat` of TcpProxy, for the server that first gets the text. */
  eat(text: string): Promise<void>;
  eatAnswerTo(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Puts proxies in front of the servers of an address, which may be several servers separated by commas. */
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
