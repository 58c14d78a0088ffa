import { invalidField, ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { raw, UniqueConstraintViolationException } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/sql";
import { kindOf } from "../../storage/database/conditions.ts";

// A user name contains no `@` and an e-mail address does, so that neither can be mistaken for the other.

/** Returns the user name, or refuses it. */
export function username(text: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{1,254}$/.test(text)) return text;
  throw invalidField(
    "username",
    "A user name has 2 to 255 letters, digits, dots, hyphens and underscores, and does not begin with a dot or hyphen.",
  );
}

/** Returns the display name without surrounding space, or refuses it. */
export function displayName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= 255 && !/\p{Cc}/u.test(name)) return name;
  throw invalidField("name", "A name has 1 to 255 characters and no line breaks.");
}

/** Returns the e-mail address without surrounding space (empty for none), or refuses it. */
export function emailAddress(text: string): string {
  const email = text.trim();
  if (email === "" || (email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email))) return email;
  throw invalidField("email", "An e-mail address looks like ada@example.com and has at most 254 characters.");
}

/** Finds the user who signs in by this name: a user name or e-mail address, ignoring case. */
export function signsInAs(em: EntityManager, name: string) {
  return name.includes("@") ? hasEmail(em, name) : { username: name };
}

/** Finds the user with an e-mail address. */
export function hasEmail(em: EntityManager, email: string) {
  // The index is partial, on addresses that are not empty. Without the same condition here every user would be read.
  return kindOf(em) === "sqlite"
    ? { email: { $eq: raw<string>("? collate nocase", [email]), $ne: "" } }
    : { [raw("lower(email)")]: raw(`lower(? collate "C")`, [email]), email: { $ne: "" } };
}

/** Turns the database's refusal of a second user name or e-mail address into ours. */
export function refuseTaken(error: unknown): never {
  if (!(error instanceof UniqueConstraintViolationException)) throw error;
  const isEmail = /\buser[._]email\b/.test(error.message);
  throw new ServiceError(
    ErrorReason.USERNAME_TAKEN,
    isEmail
      ? "Another user has this e-mail address. Choose another address."
      : "Another user has this user name. Choose another name.",
    { field: isEmail ? "email" : "username", cause: error },
  );
}
