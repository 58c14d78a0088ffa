import { pairPlace } from "../../services/client-keys/client-keys.ts";
import { ownDsnPlace } from "../../host/own-errors/own-error-settings.ts";
import { externalTokenPlace } from "../../services/settings/external-token.ts";

/** A column with values of KeyRing.encrypt. */
export interface EncryptedColumn {
  readonly table: string;
  readonly name: string;
  /** The id column, which names the place that a value is encrypted for. */
  readonly owner: string;
  readonly placeOf: (owner: number) => string;
}

/** Every such column of the database. A column missing here is lost with the old key after a rotation. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: "client_key", name: "sealed_pair", owner: "project_id", placeOf: pairPlace },
  { table: "settings", name: "external_auth_token", owner: "id", placeOf: externalTokenPlace },
  { table: "own_error_reporting", name: "dsn", owner: "id", placeOf: () => ownDsnPlace },
];
