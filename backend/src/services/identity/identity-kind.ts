/**
 * Who makes a proof: somebody whom the service knows, by a session, a device, a link or a network, or a stranger at an
 * address. Known people go ahead of strangers, and take turns with each other; strangers take turns by wide network. A
 * stranger without an address may be identified by another text.
 */
export type Claimant = { readonly known: string } | { readonly clientAddress: string };

/** The claimant for a user whom the service knows. */
export const knownUser = (userId: number): Claimant => ({ known: `user ${userId}` });

/**
 * A way in which people prove who they are, such as a password. The core finds the identity, limits guesses, and begins
 * the session; a kind only checks proofs. It has no access to the database, so that a plugin can provide one.
 */
export interface IdentityKind {
  /** The value of `identity.kind`. */
  readonly kind: string;
  /**
   * The subject of the identity that a person signs in to by `name`, as typed; undefined if there is none. `userOf`
   * finds a user by user name or e-mail address.
   */
  subjectOf(name: string, userOf: (name: string) => Promise<number | undefined>): Promise<string | undefined>;
  /**
   * Whether `proof` matches the verifier. Without a verifier it takes the same time and returns false, so that time
   * does not reveal which identities exist. Refuses with TOO_MANY_ATTEMPTS if too many proofs wait.
   */
  verify(proof: string, verifier: string | undefined, by: Claimant): Promise<boolean>;
}
