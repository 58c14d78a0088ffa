import type { IncomingMessage } from "node:http";
import { networksOf } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientIp } from "../../plugins/http-bridge/src/server.ts";

const test = suite("client IP");

const proxies = networksOf(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);

const rows: [claim: string, peer: string, forwarded: string | undefined, client: string][] = [
  ["without a header the peer is the client", "10.0.0.1", undefined, "10.0.0.1"],
  ["a stranger's header is not believed", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a trusted proxy's header is", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a mapped peer is the same proxy", "::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a proxy may have an IPv6 address", "fd00::1", "2001:db8::1", "2001:db8::1"],
  ["what the client itself wrote before is not believed", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
  ["trusted proxies in a row are passed", "127.0.0.1", "198.51.100.1,10.0.0.7 , 10.0.0.8", "198.51.100.1"],
  ["of nothing but trusted proxies the first is the client", "127.0.0.1", "10.0.0.7, 10.0.0.8", "10.0.0.7"],
  ["behind a hop that is no address nothing is believed", "127.0.0.1", "198.51.100.1, unknown, 10.0.0.8", "10.0.0.8"],
  ["a header of nothing is none", "127.0.0.1", "", "127.0.0.1"],
  ["a mapped client is shortened", "127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
];
for (const [claim, remoteAddress, forwarded, client] of rows) {
  test(claim, () => {
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    assert.is(clientIp({ socket: { remoteAddress }, headers } as IncomingMessage, proxies), client);
  });
}

test.run();
