import type { Plugin, SealedColumn, Secrets } from "@faultline/plugin";
import type { KeyRing } from "./key-ring.ts";

/** A column with values of KeyRing.encrypt. */
export interface EncryptedColumn {
  readonly table: string;
  readonly name: string;
  /** The id column. It names the place for which a value is encrypted. */
  readonly owner: string;
  readonly placeOf: (owner: number) => string;
}

/** The place of a client key and its secret. See KeyRing.encrypt. The key's own id is unknown before it is stored. */
export const pairPlace = (projectId: number) => `client_key:${projectId}:sealed_pair`;

/** The place of a project's token for its external system. */
export const externalTokenPlace = (projectId: number) => `settings:${projectId}:external_auth_token`;

/** The place of the DSN that takes the installation's own failures. */
export const ownDsnPlace = "own_error_reporting:1:dsn";

/** The encrypted columns of the core. Values of a column missing here are lost with the old key after a rotation. */
const ofCore: readonly EncryptedColumn[] = [
  { table: "client_key", name: "sealed_pair", owner: "project_id", placeOf: pairPlace },
  { table: "settings", name: "external_auth_token", owner: "id", placeOf: externalTokenPlace },
  { table: "own_error_reporting", name: "dsn", owner: "id", placeOf: () => ownDsnPlace },
];

/** Every encrypted column of the database. */
export function encryptedColumns(plugins: readonly Plugin[]): readonly EncryptedColumn[] {
  const ofPlugins = plugins.flatMap(({ sealedColumns = [] }) => sealedColumns);
  return [
    ...ofCore,
    ...ofPlugins.map((column) => ({ ...column, owner: "id", placeOf: (id: number) => placeIn(column, id) })),
  ];
}

/** Encryption and digests for plugins. */
export function secretsOf(keyRing: KeyRing): Secrets {
  return {
    seal: (column, id, text) => keyRing.encrypt(placeIn(column, id), text),
    open: (column, id, sealed) => keyRing.decrypt(placeIn(column, id), sealed),
    digest: (purpose, text) => keyRing.digest(`plugin: ${purpose}`, text),
  };
}

const placeIn = ({ table, name }: SealedColumn, id: number) => `${table}:${id}:${name}`;
