import type { Handlers, Plugin } from "@faultline/plugin";
import type { InstanceService } from "@faultline/proto";
import type { Config } from "../../config.ts";
import type { CoreCall } from "../access/guard.ts";
import { chosenLetters, deadLetterToProto } from "../../host/ingest/dead-letters.ts";
import type { OwnErrorSettings } from "../own-errors/own-error-settings.ts";
import type { KeyRotation } from "../../storage/secrets/key-rotation.ts";
import { version } from "../../version.ts";
import { readHealth, type HealthSources } from "./health.ts";
import { ingestLag } from "./ingest-lag.ts";

/** The installation as a whole. */
export function instanceService({
  config,
  plugins,
  baseUrl,
  reporting,
  keyRotation,
  health,
}: {
  config: Pick<Config, "offering" | "platformRelease">;
  plugins: readonly Plugin[];
  baseUrl: () => string;
  reporting: OwnErrorSettings;
  keyRotation: KeyRotation;
  health: HealthSources;
}): Handlers<typeof InstanceService, CoreCall> {
  const { backlog } = health;
  const deadLetters = backlog?.deadLetters;
  const ofNone = (withoutProject: boolean) => (withoutProject ? 0 : undefined);

  return {
    async getInstance() {
      const { offering, platformRelease } = config;
      const names = plugins.map(({ name }) => name);
      return { instance: { version, offering, platformRelease, baseUrl: baseUrl(), plugins: names } };
    },

    async getHealth() {
      return { health: await readHealth(health) };
    },

    async getOwnErrorReporting() {
      return { ownErrorReporting: await reporting.read() };
    },

    async updateOwnErrorReporting(request) {
      await reporting.update(request);
      return { ownErrorReporting: await reporting.read() };
    },

    async rotateEncryptionKey() {
      return { waitingCount: await keyRotation.begin() };
    },

    async getIngestLag() {
      const lag = ingestLag(backlog);
      return lag ? { ingestLag: lag } : {};
    },

    async listDeadLetters({ withoutProject }) {
      const chosen = chosenLetters([], ofNone(withoutProject));
      const letters = (await deadLetters?.list(chosen)) ?? [];
      return {
        deadLetters: letters.map(deadLetterToProto),
        totalCount: BigInt((await deadLetters?.count(chosen)) ?? 0),
      };
    },

    async replayDeadLetters({ deadLetterIds, withoutProject }) {
      const done = await deadLetters?.replay(chosenLetters(deadLetterIds, ofNone(withoutProject)));
      const { accepted = 0, failed = 0, left = 0 } = done ?? {};
      return { acceptedCount: accepted, failedCount: failed, leftCount: BigInt(left) };
    },

    async deleteDeadLetters({ deadLetterIds, withoutProject }) {
      const deleted = await deadLetters?.delete(chosenLetters(deadLetterIds, ofNone(withoutProject)));
      return { deletedCount: BigInt(deleted ?? 0) };
    },
  };
}
