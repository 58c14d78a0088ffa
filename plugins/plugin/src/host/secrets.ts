/** A column of a plugin's table with encrypted values. The table has a column `id`, a number. */
export interface SealedColumn {
  readonly table: string;
  readonly name: string;
}

/**
 * Encryption (AES-256-GCM) for secrets that a plugin must use again, and digests (HMAC-SHA256), with the installation's
 * key file.
 */
export interface Secrets {
  /**
   * Encrypts a text for one of the plugin's `sealedColumns`, in the row with this id. It cannot be decrypted elsewhere.
   */
  seal(column: SealedColumn, id: number, text: string): string;
  /** Decrypts a value. Throws if the value was damaged or moved from another row. */
  open(column: SealedColumn, id: number, sealed: string): string;
  /** A keyed digest of a text for one purpose, 64 hexadecimal digits. A key rotation does not change it. */
  digest(purpose: string, text: string): string;
}
