import { create } from "@bufbuild/protobuf";
import { ErrorReason, ListExternalProjectsRequestSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SettingsRow } from "../../backend/src/services/tables/settings.ts";
import { KeyRing } from "../../backend/src/storage/secrets/key-ring.ts";
import { externalTokenPlace } from "../../backend/src/storage/secrets/encrypted-columns.ts";
import { refusal } from "../support/assert/refusal.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { externalTarget } from "../../backend/src/services/settings/settings-service.ts";

const targets = suite("external target");

const ring = KeyRing.open(tempDir(), true);
const address = "https://errors.example";
const stored = {
  id: 7,
  externalApiUrl: address,
  externalAuthToken: ring.encrypt(externalTokenPlace(7), "kept"),
} as SettingsRow; // the fields that are read

const target = (externalApiUrl: string, externalAuthToken: string) =>
  externalTarget(create(ListExternalProjectsRequestSchema, { externalApiUrl, externalAuthToken }), stored, ring);

const asked: [url: string, token: string, apiUrl: string, used: string][] = [
  ["", "", address, "kept"],
  [`${address}/`, "***", address, "kept"],
  [`${address}/base`, "", `${address}/base`, "kept"],
  ["HTTPS://ERRORS.example:443", "", address, "kept"],
  ["https://other.example", "typed", "https://other.example", "typed"],
  ["", "typed", address, "typed"],
  ["", "*typed*", address, "*typed*"],
];
for (const [url, token, apiUrl, used] of asked) {
  targets(`"${url}" with the token "${token}" asks ${apiUrl} with "${used}"`, () => {
    assert.equal(target(url, token), { apiUrl, token: used });
  });
}

for (const url of ["http://errors.example", "https://errors.example.org", "https://errors.example:8443"]) {
  targets(`the stored token never goes to ${url}`, () => {
    const { reason, field, message } = refusal(() => target(url, ""));
    assert.is(reason, ErrorReason.INVALID_FIELD);
    assert.is(field, "external_auth_token");
    assert.not.match(message, "kept");
  });
}

targets.run();
