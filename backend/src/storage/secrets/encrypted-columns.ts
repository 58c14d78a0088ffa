import { pairPlace } from "../../services/client-keys/client-keys.ts";
import { ownDsnPlace } from "../../host/own-errors/own-error-settings.ts";
import { externalTokenPlace } from "../../services/settings/external-token.ts";

/** A column whose values KeyRing.encrypt made. */
export interface EncryptedColumn {
  readonly table: string;
  readonly name: string;
  /** The column with the id that names the place a value is encrypted for. */
  readonly owner: string;
  readonly placeOf: (owner: number) => string;
}

/** Every such column of the database: what is not here is lost with the old key after a rotation. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "client_key", name: "sealed_pair", owner: "project_id", placeOf: pairPlace },
  { table: "settings", name: "external_auth_token", owner: "id", placeOf: externalTokenPlace },
  { table: "own_error_reporting", name: "dsn", owner: "id", placeOf: () => ownDsnPlace },
];
