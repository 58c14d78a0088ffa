import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newPerson, personPassword } from "../../support/core/person.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await sharedServer();
const ann = await newPerson(client);

type Body = Record<string, unknown> & { readonly id: number; readonly username: string };

const idsIn = ({ json }: { json: unknown }) => (json as Body[]).map(({ id }) => id);

test("an administrator makes a user, who signs in", async () => {
  const body = { username: "Nora", name: "Nora N.", email: "nora@example.com", password: personPassword };
  const answer = await answered(rest(server, "POST /users", { body }), 201);
  const { id, created_at, ...made } = answer.json as Body;
  assert.type(id, "number");
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT/);
  assert.equal(made, {
    username: "Nora",
    name: "Nora N.",
    state: "active",
    email: "nora@example.com",
    is_admin: false,
  });
  assert.ok((await client.accounts.signIn({ username: "nora", password: personPassword })).sessionToken);
});

test("a password is never answered", async () => {
  const password = "a passphrase that nobody reads";
  const made = await answered(rest(server, "POST /users", { body: { username: "quiet", password } }), 201);
  const list = await rest(server, "GET /users?username=quiet");
  for (const { text } of [made, list]) assert.not.match(text, /passphrase|argon2/);
});

test("a user name or an e-mail address that is taken is answered 409", async () => {
  const post = (body: object) => rest(server, "POST /users", { body });
  await assertAnswer(post({ username: "taken", email: "taken@example.com" }), 201);
  await assertAnswer(post({ username: "TAKEN" }), 409, { message: "Username has already been taken" });
  await assertAnswer(post({ username: "other", email: "Taken@example.com" }), 409, {
    message: "Email has already been taken",
  });
});

test("a user without a user name is answered 400", async () => {
  await assertAnswer(rest(server, "POST /users", { body: { name: "x" } }), 400, { error: "username is missing" });
  const spaces = await answered(rest(server, "POST /users", { body: { username: "a b" } }), 400);
  assert.match(String((spaces.json as Body)["message"]), /^400 Bad request - \w+/);
});

test("only administrators make, change, block and delete users", async () => {
  const { userId } = await newPerson(client);
  for (const call of [
    "POST /users",
    `PUT /users/${userId}`,
    `DELETE /users/${userId}`,
    `POST /users/${userId}/block`,
    `POST /users/${userId}/unblock`,
  ])
    await assertAnswer(rest(server, call, { token: ann.token, body: { username: "x", admin: true } }), 403, {
      message: "403 Forbidden",
    });
});

test("a user reads themselves with their e-mail address, and others without", async () => {
  await assertAnswer(rest(server, `PUT /users/${ann.userId}`, { body: { email: "ann@example.com" } }), 200);
  const own = await answered(rest(server, "GET /user", { token: ann.token }), 200);
  assert.is((own.json as Body).id, ann.userId);
  assert.is((own.json as Body)["email"], "ann@example.com");
  const bob = await newPerson(client);
  const seen = await answered(rest(server, `GET /users/${ann.userId}`, { token: bob.token }), 200);
  assert.is((seen.json as Body).username, ann.username);
  assert.not.ok("email" in (seen.json as Body) || "last_sign_in_at" in (seen.json as Body));
  const byAdmin = await answered(rest(server, `GET /users/${ann.userId}`), 200);
  assert.is((byAdmin.json as Body)["email"], "ann@example.com");
  assert.match(String((byAdmin.json as Body)["last_sign_in_at"]), /^\d{4}-\d\d-\d\dT/);
});

test("an administrator changes the fields that are given", async () => {
  const { userId, username } = await newPerson(client);
  const put = (body: object) => answered(rest(server, `PUT /users/${userId}`, { body }), 200);
  const named = (await put({ name: "Renamed", admin: true })).json as Body;
  assert.equal([named.username, named["name"], named["is_admin"]], [username, "Renamed", true]);
  const again = (await put({ admin: false, username: `${username}-2` })).json as Body;
  assert.equal([again.username, again["name"], again["is_admin"]], [`${username}-2`, "Renamed", false]);
});

test("a blocked user's token is refused, and works again after unblocking", async () => {
  const person = await newPerson(client);
  await assertAnswer(rest(server, `POST /users/${person.userId}/block`), 201, true);
  await assertAnswer(rest(server, "GET /user", { token: person.token }), 401, { message: "401 Unauthorized" });
  assert.is(((await rest(server, `GET /users/${person.userId}`)).json as Body)["state"], "blocked");
  await assertAnswer(rest(server, `POST /users/${person.userId}/unblock`), 201, true);
  await assertAnswer(rest(server, "GET /user", { token: person.token }), 200);
});

test("a deleted user is answered with 204, and is missing then", async () => {
  const person = await newPerson(client);
  const deleted = await answered(rest(server, `DELETE /users/${person.userId}`), 204);
  assert.is(deleted.text, "");
  for (const call of [`GET /users/${person.userId}`, `DELETE /users/${person.userId}`, "GET /users/999999999"])
    await assertAnswer(rest(server, call), 404, { message: "404 User Not Found" });
  assert.is((await rest(server, "GET /user", { token: person.token })).status, 401);
});

test("users come by id in keyset pages, linked to the next, without the headers of offset pagination", async () => {
  for (let count = 0; count < 3; count += 1) await newPerson(client);
  const ids = await idsByPages(100); // the server is shared with tests that make people too
  assert.equal(
    ids,
    ids.toSorted((a, b) => a - b),
  );

  assert.equal(await idsByPages(2), ids);
});

/** The ids of all users, by pages of so many. */
async function idsByPages(size: number): Promise<number[]> {
  const seen: number[] = [];
  let next: string | undefined = `/users?pagination=keyset&per_page=${size}&order_by=id&sort=asc`;
  while (next !== undefined) {
    const page = await answered(rest(server, `GET ${next}`), 200);
    assert.is(page.headers["x-total"], undefined);
    assert.ok(idsIn(page).length <= size);
    seen.push(...idsIn(page));
    next = linkedPage(page, "next");
  }
  return seen;
}

test("users are found by exact user name and by search", async () => {
  const person = await newPerson(client);
  const exact = await rest(server, `GET /users?username=${person.username.toUpperCase()}`);
  assert.equal(idsIn(exact), [person.userId]);
  assert.equal((await rest(server, `GET /users?username=${person.username}x`)).json, []);
  assert.ok(idsIn(await rest(server, `GET /users?search=${person.username.slice(2)}`)).includes(person.userId));
});

for (const [query, error] of [
  ["sort=desc", "sort does not have a valid value"],
  ["id_after=0", "id_after is invalid"],
  ["id_after=x", "id_after is invalid"],
] as const)
  test(`GET /users?${query} is answered 400: ${error}`, () =>
    assertAnswer(rest(server, `GET /users?${query}`), 400, { error }));

test.run();
