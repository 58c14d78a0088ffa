import { randomBytes } from "node:crypto";
import { ServiceError, StartRefusal, type Clock } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import type { Config } from "../../config.ts";
import { UserEntity } from "../tables/user.ts";
import { AccessTokenEntity } from "../tables/access-token.ts";
import { setPassword } from "../tables/identity.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { hashPassword, newPassword } from "../identity/password.ts";
import { accessTokenPurpose, hasWrongChecksum, newToken } from "../access/tokens.ts";

/** The first administrator's credentials, shown only once. */
export interface FirstCredentials {
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

/**
 * Creates the user `root` and a personal access token with the scope `api` if there are no users yet. Both secrets come
 * from the configuration or are generated. Returns undefined on every later start.
 */
export async function makeFirstAdministrator(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  config: Config;
}): Promise<FirstCredentials | undefined> {
  const { orm, keyRing, clock, config } = parts;
  const em = orm.em.fork();
  if ((await em.count(UserEntity)) > 0) return undefined;

  const username = "root";
  const password = rootPassword(config) ?? randomBytes(15).toString("base64url");
  const token = config.rootToken ?? newToken("accessToken");
  if (hasWrongChecksum(token)) {
    throw new StartRefusal(
      "FAULTLINE_ROOT_TOKEN looks like a Faultline token, but its checksum does not match. Copy it again, or choose a token in another form.",
    );
  }
  const now = clock.now();
  const verifier = await hashPassword(password, { known: "the first administrator" });
  return em.transactional(async (inner) => {
    if ((await inner.count(UserEntity)) > 0) return undefined; // another process was faster
    const userId = await inner.insert(UserEntity, {
      username,
      name: "Administrator",
      passwordHash: "",
      isAdmin: true,
      createdAt: now,
    });
    await setPassword(inner, { userId, verifier, now });
    await inner.insert(AccessTokenEntity, {
      userId,
      name: "First token of the administrator",
      scopes: "api",
      tokenDigest: keyRing.digest(accessTokenPurpose, token),
      createdAt: now,
    });
    return { username, password, token };
  });
}

/** The configured password, under the same rules as any other password. */
function rootPassword(config: Config): string | undefined {
  if (config.rootPassword === undefined) return undefined;
  try {
    return newPassword(config.rootPassword);
  } catch (refusal) {
    const { message } = ServiceError.from(refusal);
    throw new StartRefusal(`FAULTLINE_ROOT_PASSWORD cannot be used. ${message}`);
  }
}
