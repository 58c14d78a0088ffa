import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isFromThisMachine } from "../../plugins/http-bridge/src/this-machine.ts";

const table = suite("this machine");

type Request = Parameters<typeof isFromThisMachine>[0];

const request = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as Request; // all it reads of a request

for (const address of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]) {
  table(`${address} is this machine`, () => assert.ok(isFromThisMachine(request(address))));
}

for (const address of [undefined, "", "10.0.0.1", "128.0.0.1", "::ffff:10.0.0.1", "::2", "fe80::1", "localhost"]) {
  table(`${address} is not`, () => assert.not.ok(isFromThisMachine(request(address))));
}

for (const header of ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"]) {
  table(`a loopback address with ${header} is a proxy`, () =>
    assert.not.ok(isFromThisMachine(request("127.0.0.1", { [header]: "127.0.0.1" }))),
  );
}

table.run();
