import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { newPerson, personPassword, type Person } from "../../support/core/person.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await sharedServer();

type Body = Record<string, unknown> & { readonly id: number };

/** The token of a call, read by that call. */
const self = async (token: string) =>
  (await answered(rest(server, "GET /personal_access_tokens/self", { token }), 200)).json as Body;

/** Makes a further token. */
async function newToken({ username }: Person, scopes = ["api"]): Promise<string> {
  const { sessionToken } = await client.accounts.signIn({ username, password: personPassword });
  return (await client.accounts.createAccessToken({ name: "more", scopes }, { token: sessionToken })).token;
}

test("a token reads itself", async () => {
  const { token, userId } = await newPerson(client, { scopes: ["read_api"] });
  const { id, created_at, last_used_at, ...body } = await self(token);
  assert.type(id, "number");
  for (const time of [created_at, last_used_at]) assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  assert.equal(body, {
    name: "test",
    revoked: false,
    scopes: ["read_api"],
    user_id: userId,
    active: true,
    expires_at: null,
  });
});

test("everybody lists and reads their own tokens, without their secrets", async () => {
  const person = await newPerson(client);
  const secrets = [person.token, await newToken(person), await newToken(person)];
  const list = await answered(rest(server, "GET /personal_access_tokens?per_page=2", { token: person.token }), 200);
  assert.is(list.headers["x-total"], "3");
  assert.is(list.headers["x-next-page"], "2");
  assert.is((list.json as Body[]).length, 2);
  for (const secret of secrets) assert.not.match(list.text, secret);
  const [{ id = 0 } = {}] = list.json as Body[];
  await assertAnswer(
    rest(server, `GET /personal_access_tokens/${id}`, { token: person.token }),
    200,
    (list.json as Body[])[0],
  );
});

test("an administrator lists another user's tokens, nobody else does", async () => {
  const [one, other] = [await newPerson(client), await newPerson(client)];
  const byAdmin = await answered(rest(server, `GET /personal_access_tokens?user_id=${one.userId}`), 200);
  assert.equal(
    (byAdmin.json as Body[]).map((token) => token["user_id"]),
    [one.userId],
  );
  const path = `/personal_access_tokens?user_id=${one.userId}`;
  await assertAnswer(rest(server, `GET ${path}`, { token: other.token }), 403, { message: "403 Forbidden" });
});

test("the token of another is answered like one that is missing", async () => {
  const [one, other] = [await newPerson(client), await newPerson(client)];
  const { id } = await self(one.token);
  const missing = { message: "404 Personal Access Token Not Found" };
  for (const tokenId of [id, 999_999_999, "01", "x"])
    for (const [verb, tail] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
    ] as const)
      await assertAnswer(
        rest(server, `${verb} /personal_access_tokens/${tokenId}${tail}`, { token: other.token }),
        404,
        missing,
      );
  await self(one.token);
});

test("a revoked token is answered with 204 and refused from then on", async () => {
  const person = await newPerson(client);
  const second = await newToken(person);
  const { id } = await self(second);
  const revoked = await answered(rest(server, `DELETE /personal_access_tokens/${id}`, { token: person.token }), 204);
  assert.is(revoked.text, "");
  assert.is((await rest(server, "GET /user", { token: second })).status, 401);
  const read = await rest(server, `GET /personal_access_tokens/${id}`, { token: person.token });
  assert.is((read.json as Body)["revoked"], true);
  assert.is((read.json as Body)["active"], false);
});

test("a token revokes itself", async () => {
  const { token } = await newPerson(client);
  await assertAnswer(rest(server, "DELETE /personal_access_tokens/self", { token }), 204);
  await assertAnswer(rest(server, "GET /personal_access_tokens/self", { token }), 401, {
    error: "invalid_token",
    error_description: "Token was revoked. You have to re-authorize from the user.",
  });
});

test("a token that only reads revokes and rotates nothing", async () => {
  const { token } = await newPerson(client, { scopes: ["read_api"] });
  for (const call of ["DELETE /personal_access_tokens/self", "POST /personal_access_tokens/self/rotate"])
    assert.is((await rest(server, call, { token })).status, 403);
  await self(token);
});

for (const by of ["self", "id"])
  test(`a rotated token (by ${by}) is answered with the new one, which has its name and scopes`, async () => {
    const { token } = await newPerson(client);
    const old = await self(token);
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const path = `/personal_access_tokens/${by === "self" ? "self" : old.id}/rotate`;
    const answer = await answered(rest(server, `POST ${path}`, { token, body: { expires_at: day } }), 200);
    const { token: fresh, ...body } = answer.json as Body & { token: string };
    assert.is(body["expires_at"], day);
    assert.equal([body["name"], body["scopes"], body["active"]], ["test", ["api"], true]);
    assert.is.not(body.id, old.id);
    assert.is((await rest(server, "GET /user", { token })).status, 401);
    assert.is((await self(fresh)).id, body.id);
  });

test("a rotated token ends in a week unless a day is given", async () => {
  const { token } = await newPerson(client);
  const answer = await answered(rest(server, "POST /personal_access_tokens/self/rotate", { token }), 200);
  const days = (Date.parse(String((answer.json as Body)["expires_at"])) - Date.now()) / 86_400_000;
  assert.ok(days > 5.9 && days <= 7, `${days}`);
});

for (const day of ["tomorrow", "2030-13-01", "2030-02-30", "2030-01-01T00:00:00Z"])
  test(`a token is not rotated to end ${day}`, async () => {
    const { token } = await newPerson(client);
    await assertAnswer(
      rest(server, "POST /personal_access_tokens/self/rotate", { token, body: { expires_at: day } }),
      400,
      { error: "expires_at is invalid" },
    );
    await self(token);
  });

test("no token makes another one from nothing", async () => {
  await assertAnswer(rest(server, "POST /personal_access_tokens", { body: { name: "x", scopes: ["api"] } }), 405, {
    error: "405 Not Allowed",
  });
});

test.run();
