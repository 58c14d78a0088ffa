import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { StartRefusal } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { dayMs, movableFaultline, newUser, signIn } from "../../../support/service/movable-faultline.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { rest } from "../../../support/rest/rest.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";

const { client, clock, faultline } = await movableFaultline();
const server = { url: faultline.httpUrl };
const { accounts } = client;
const root = await signIn(client);

const inDays = (days: number) => timestampFromMs(clock.at + days * dayMs);
const isRefused = async (token: string, reason: ErrorReason) =>
  assert.is((await rejects(accounts.getCurrentUser({}, { token }), "UNAUTHENTICATED")).reason, reason);
const isNotFound = async (call: Promise<unknown>) =>
  assert.is((await rejects(call, "NOT_FOUND")).reason, ErrorReason.ACCESS_TOKEN_NOT_FOUND);

test("a token works until the moment it expires", async () => {
  const request = { name: "short", scopes: ["api"], expiresTime: inDays(1) };
  const { token } = await accounts.createAccessToken(request, root);
  clock.at += dayMs - 1;
  assert.ok(await accounts.getCurrentUser({}, { token }));
  clock.at += 1;
  await isRefused(token, ErrorReason.TOKEN_EXPIRED);
  clock.at -= dayMs; // so that the session of this file is not idle
});

test("a revoked token is refused by the next call, though it was just used", async () => {
  const { session, auth, tokenId } = await newUser(client);
  assert.ok(await accounts.getCurrentUser({}, auth));
  const { accessToken } = await accounts.revokeAccessToken({ tokenId }, session);
  assert.is(accessToken?.revokedTime && timestampMs(accessToken.revokedTime), clock.at);
  await isRefused(auth.token, ErrorReason.TOKEN_REVOKED);
});

test("a token with a wrong checksum is refused, and so is a token that nobody made", async () => {
  const { auth } = await newUser(client);
  const last = auth.token.endsWith("0") ? "1" : "0";
  await isRefused(auth.token.slice(0, -1) + last, ErrorReason.TOKEN_REQUIRED);
  await isRefused(`flp_${"a".repeat(40)}`, ErrorReason.TOKEN_REQUIRED);
  assert.ok(await accounts.getCurrentUser({}, auth));
  assert.ok(await accounts.getCurrentUser({}, client.auth), "the configured token has no checksum");
});

test("a token reads itself; a session has no token to read", async () => {
  const { session, auth, tokenId, userId } = await newUser(client);
  const { accessToken } = await accounts.getAccessToken({}, auth);
  assert.equal([accessToken?.tokenId, accessToken?.userId, accessToken?.name], [tokenId, userId, "first"]);
  assert.is((await accounts.getAccessToken({ tokenId }, session)).accessToken?.tokenId, tokenId);
  await isNotFound(accounts.getAccessToken({}, session));
});

test("nobody reads, rotates or revokes a token of another user, but administrators revoke it", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const { tokenId } = ann;
  await isNotFound(accounts.getAccessToken({ tokenId }, bob.auth));
  await isNotFound(accounts.rotateAccessToken({ tokenId }, bob.auth));
  await isNotFound(accounts.revokeAccessToken({ tokenId }, bob.auth));
  await isNotFound(accounts.getAccessToken({ tokenId }, client.auth));
  await isNotFound(accounts.rotateAccessToken({ tokenId }, client.auth));
  assert.ok(await accounts.getCurrentUser({}, ann.auth));
  await accounts.revokeAccessToken({ tokenId }, client.auth);
  await isRefused(ann.auth.token, ErrorReason.TOKEN_REVOKED);
});

test("tokens are counted and paged; only administrators list the tokens of others", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  for (const name of ["two", "three"]) await accounts.createAccessToken({ name, scopes: ["read_api"] }, ann.session);
  const names = async (request: object, auth: { token: string }) => {
    const { accessTokens, totalSize } = await accounts.listAccessTokens(request, auth);
    return [totalSize, ...accessTokens.map(({ name }) => name)];
  };
  assert.equal(await names({}, ann.session), [3, "three", "two", "first"]);
  assert.equal(await names({ userId: ann.userId }, ann.auth), [3, "three", "two", "first"]);
  assert.equal(await names({ skip: 1, pageSize: 1 }, ann.session), [3, "two"]);
  assert.equal(await names({ userId: ann.userId, skip: 2 }, client.auth), [3, "first"]);
  const refusal = await rejects(names({ userId: ann.userId }, bob.auth), "PERMISSION_DENIED");
  assert.is(refusal.reason, ErrorReason.FORBIDDEN);
});

test("a page of one user's tokens does not continue in another user's", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  await accounts.createAccessToken({ name: "second", scopes: ["api"] }, ann.session);
  const { nextPageToken: pageToken } = await accounts.listAccessTokens({ pageSize: 1 }, ann.session);
  assert.is((await accounts.listAccessTokens({ pageToken }, ann.session)).accessTokens[0]?.name, "first");
  await rejects(accounts.listAccessTokens({ pageToken }, bob.session), "INVALID_ARGUMENT");
});

test("a token rotates itself: name and scopes stay, the old one is revoked, the new one lasts a week", async () => {
  const { auth, tokenId, userId } = await newUser(client);
  const { accessToken, token } = await accounts.rotateAccessToken({}, auth);
  assert.equal([accessToken?.name, accessToken?.scopes, accessToken?.userId], ["first", ["api"], userId]);
  assert.is.not(accessToken?.tokenId, tokenId);
  assert.is(accessToken?.expiresTime && timestampMs(accessToken.expiresTime), clock.at + 7 * dayMs);
  await isRefused(auth.token, ErrorReason.TOKEN_REVOKED);
  assert.ok(await accounts.getCurrentUser({}, { token }));
});

test("a rotated token may be given another end, within a year and in the future", async () => {
  const { session, tokenId } = await newUser(client);
  for (const days of [0, -1, 366]) {
    const refusal = await rejects(
      accounts.rotateAccessToken({ tokenId, expiresTime: inDays(days) }, session),
      "INVALID_ARGUMENT",
    );
    assert.is(refusal.field, "expires_time");
  }
  const expiresTime = inDays(365);
  assert.equal(
    (await accounts.rotateAccessToken({ tokenId, expiresTime }, session)).accessToken?.expiresTime,
    expiresTime,
  );
});

test("a rotation lengthens no token's life, whatever end is asked for, over gRPC and REST", async () => {
  const { session } = await newUser(client);
  const hours = (count: number) => inDays(count / 24);
  const rotate = async (token: string, expiresTime?: ReturnType<typeof inDays>) => {
    const made = await accounts.rotateAccessToken(expiresTime ? { expiresTime } : {}, { token });
    return { token: made.token, end: made.accessToken?.expiresTime };
  };
  const request = { name: "two hours", scopes: ["api"], expiresTime: hours(2) };
  const { token } = await accounts.createAccessToken(request, session);
  clock.at += dayMs / 24; // an hour of it has passed
  const second = await rotate(token, inDays(364));
  assert.equal(second.end, hours(2));
  const third = await rotate(second.token);
  assert.equal(third.end, hours(2), "the usual week is too long too");
  const day = new Date(clock.at + 300 * dayMs).toISOString().slice(0, 10);
  const call = { token: third.token, body: { expires_at: day } };
  const byRest = await rest(server, "POST /personal_access_tokens/self/rotate", call);
  const { expires_at: end, token: fourth } = byRest.json as { expires_at: string; token: string };
  assert.equal([byRest.status, end], [200, new Date(clock.at + dayMs / 12).toISOString().slice(0, 10)]);
  assert.equal((await rotate(fourth, hours(1))).end, hours(1), "sooner is as asked for");
});

test("revoked, rotated and expired tokens cannot be rotated, and a session has no token", async () => {
  const { session, tokenId } = await newUser(client);
  const isOver = async (id: number) =>
    assert.is(
      (await rejects(accounts.rotateAccessToken({ tokenId: id }, session), "INVALID_ARGUMENT")).field,
      "token_id",
    );
  const made = await accounts.createAccessToken({ name: "ends", scopes: ["api"], expiresTime: inDays(0.1) }, session);
  await accounts.rotateAccessToken({ tokenId }, session);
  await isOver(tokenId);
  clock.at += 0.1 * dayMs;
  await isOver(made.accessToken?.tokenId ?? 0);
  await isNotFound(accounts.rotateAccessToken({}, session));
});

test("of ten simultaneous rotations of a token, one succeeds", async () => {
  const { auth } = await newUser(client);
  const rotations = await Promise.allSettled(Array.from({ length: 10 }, () => accounts.rotateAccessToken({}, auth)));
  assert.is(rotations.filter(({ status }) => status === "fulfilled").length, 1);
});

test("a token that may only read does not rotate itself", async () => {
  const { session } = await newUser(client);
  const { token } = await accounts.createAccessToken({ name: "reader", scopes: ["read_api"] }, session);
  const refusal = await rejects(accounts.rotateAccessToken({}, { token }), "PERMISSION_DENIED");
  assert.is(refusal.reason, ErrorReason.INSUFFICIENT_SCOPE);
});

test("a token for uploads is also spelled for Sentry's tools, and calls take either spelling; its claims are hints", async () => {
  const { session } = await newUser(client);
  const asked = { name: "build", scopes: ["upload"], organization: "acme" };
  const { token, sentryToken, accessToken } = await accounts.createAccessToken(asked, session);
  const [, claims = "", secret = ""] = sentryToken.split("_");
  const { url, org } = JSON.parse(Buffer.from(claims, "base64").toString()) as Record<string, unknown>;
  assert.equal([url, org], [faultline.httpUrl, "acme"]);
  const elsewhere = Buffer.from(JSON.stringify({ url: "https://other.example.com", org: "other" })).toString("base64");
  for (const spelled of [token, sentryToken, `sntrys_${elsewhere}_${secret}`]) {
    assert.ok(await client.sourceMaps.getUploadLimits({}, { token: spelled }));
  }
  const other = secret.startsWith("0") ? "1" : "0";
  await isRefused(`sntrys_${claims}_${other}${secret.slice(1)}`, ErrorReason.TOKEN_REQUIRED);

  const { tokenId } = accessToken ?? {};
  const rotated = await accounts.rotateAccessToken({ tokenId: tokenId ?? 0, organization: "-" }, session);
  await isRefused(sentryToken, ErrorReason.TOKEN_REVOKED);
  assert.ok(await client.sourceMaps.getUploadLimits({}, { token: rotated.sentryToken }));
  for (const without of [
    { ...asked, organization: "" },
    { ...asked, scopes: ["api"] },
    { ...asked, scopes: ["upload", "read_api"] },
  ]) {
    assert.is((await accounts.createAccessToken(without, session)).sentryToken, "");
  }
  const wrong = accounts.createAccessToken({ ...asked, organization: "acme/web" }, session);
  assert.match((await rejects(wrong, "INVALID_ARGUMENT")).message, /first part of the path/);
});

test("a configured token that looks made by Faultline and has a wrong checksum is refused at the first start", async () => {
  const config = { ...testConfig(tempDir()), rootToken: `flp_${"a".repeat(42)}` };
  const refusal: unknown = await startFaultline(config).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(refusal, StartRefusal);
  assert.match((refusal as StartRefusal).message, "FAULTLINE_ROOT_TOKEN");
});

test.run();
