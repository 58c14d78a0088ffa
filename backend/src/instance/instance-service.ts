import type { Handlers } from "@faultline/plugin";
import type { InstanceService } from "@faultline/proto";
import type { Config } from "../config.ts";
import type { CoreCall } from "../access/guard.ts";
import type { OwnErrorSettings } from "../own-errors/own-error-settings.ts";
import type { KeyRotation } from "../secrets/key-rotation.ts";
import { version } from "../version.ts";
import { readHealth, type HealthSources } from "./health.ts";

/** This installation as a whole. */
export function instanceService({
  config,
  baseUrl,
  reporting,
  keyRotation,
  health,
}: {
  config: Pick<Config, "offering" | "platformRelease">;
  baseUrl: () => string;
  reporting: OwnErrorSettings;
  keyRotation: KeyRotation;
  health: HealthSources;
}): Handlers<typeof InstanceService, CoreCall> {
  return {
    async getInstance() {
      const { offering, platformRelease } = config;
      return { instance: { version, offering, platformRelease, baseUrl: baseUrl() } };
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
  };
}
