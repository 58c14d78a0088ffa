import { rest } from "../rest/rest.ts";
import type { Server } from "../service/server.ts";

/** A project that takes events. */
export interface Project {
  readonly id: number;
  readonly path: string;
  /** The public key: `flck_` and 32 hexadecimal digits. */
  readonly key: string;
  readonly keyId: number;
  readonly dsn: string;
  readonly legacyDsn: string;
}

let count = 0;

/** Makes a project over REST, with the integrated backend on, a client key, and by default a new name. */
export async function createProject(
  server: Pick<Server, "url">,
  names: { readonly name: string; readonly path: string } = newNames(),
): Promise<Project> {
  const project = await expect<{ id: number }>(201, rest(server, "POST /projects", { body: names }));
  const settings = `/projects/${project.id}/error_tracking/settings`;
  await expect(200, rest(server, `PUT ${settings}`, { body: { active: true, integrated: true } }));
  return { id: project.id, path: names.path, ...(await createKey(server, project.id)) };
}

function newNames() {
  count += 1;
  const name = `project-${process.pid}-${count}`;
  return { name, path: name };
}

/** Makes another client key. */
export async function createKey(server: Pick<Server, "url">, projectId: number): Promise<Omit<Project, "id" | "path">> {
  const key = await expect<{ id: number; public_key: string; sentry_dsn: string; legacy_dsn: string }>(
    201,
    rest(server, `POST /projects/${projectId}/error_tracking/client_keys`),
  );
  return { key: key.public_key, keyId: key.id, dsn: key.sentry_dsn, legacyDsn: key.legacy_dsn };
}

async function expect<Body>(status: number, answer: ReturnType<typeof rest>): Promise<Body> {
  const { status: got, text, json } = await answer;
  if (got !== status) throw new Error(`expected ${status}, got ${got}: ${text}`);
  return json as Body; // rest.test.ts asserts the shapes
}
