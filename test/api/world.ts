import { Role } from "@faultline/proto";
import { grpcClient } from "../support/core/grpc.ts";
import { newMember, newPerson, personPassword } from "../support/core/person.ts";
import { createKey, createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import type { Server } from "../support/service/server.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../support/sentry/send.ts";

type Id = string | number;

/** The things that calls can name. */
export interface World {
  readonly administrator: string;
  readonly reporter: string;
  /** A token that the calls may end. */
  readonly leaver: string;
  /** Values for the parameters of paths that name something. */
  readonly named: Readonly<Record<string, readonly Id[]>>;
  /** Other values for operations that end or change what they name, so that the rest stays there. */
  readonly spare: Readonly<Record<string, Readonly<Record<string, readonly Id[]>>>>;
  /** Values for fields of bodies that name something. */
  readonly inBodies: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
}

const spares = 10;
const release = "shop@1.2.3";

/** Makes projects, keys, errors, sessions, members, invitations, custom roles and tokens, and some of each to lose. */
export async function makeWorld(server: Server): Promise<World> {
  const client = grpcClient(server);
  const project = await createProject(server);
  const eventId = newEventId();
  const exception = {
    values: [{ type: "PaymentError", value: "refused", stacktrace: { frames: [{ function: "pay" }] } }],
  };
  const session = { sid: newEventId(), init: true, status: "exited", started: new Date().toISOString() };
  await sendEvent(server, project, {
    event_id: eventId,
    exception,
    user: { id: "42" },
    tags: { region: "eu" },
    release,
  });
  const item = [{ type: "session" }, { ...session, attrs: { release } }] as const;
  await sendEnvelope(server, project, envelope(undefined, item));
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);

  const administrator = await newPerson(client, { isAdmin: true });
  const call = { token: administrator.token };
  const post = async (path: string, body: object) =>
    ((await rest(server, `POST ${path}`, { ...call, body })).json as { id: number }).id;
  const several = async (make: (n: number) => Promise<number>) => {
    const ids: number[] = [];
    for (let n = 0; n < spares; n++) ids.push(await make(n));
    return ids;
  };
  const bystander = await newMember(client, project.id, Role.DEVELOPER);
  const invite = () => post(`/projects/${project.id}/invitations`, { access_level: 20 });
  const makeRole = (n: number) =>
    post("/member_roles", { name: `Role ${n}`, base_access_level: 20, update_error_tracking: true });
  const { sessionToken } = await client.accounts.signIn({ username: administrator.username, password: personPassword });
  const makeToken = async () => {
    const made = await client.accounts.createAccessToken({ name: "spare", scopes: ["api"] }, { token: sessionToken });
    return made.accessToken?.tokenId ?? 0;
  };
  const makeMember = async () => (await newMember(client, project.id, Role.GUEST)).userId;
  const makeProject = async () => (await createProject(server)).id;
  const deleted = await makeProject();
  await rest(server, `DELETE /projects/${deleted}`, call);
  const projects = await several(makeProject);
  const changed = [await makeProject()];
  const tokens = await several(makeToken);

  const world: World = {
    administrator: administrator.token,
    reporter: (await newMember(client, project.id, Role.REPORTER)).token,
    leaver: (await newPerson(client)).token,
    named: {
      project: [project.id],
      deleted_project: [deleted],
      key_id: await several(async () => (await createKey(server, project.id)).keyId),
      error_id: errors.map(({ errorId }) => errorId),
      event_id: [eventId],
      version: [release],
      user_id: [bystander.userId],
      invitation_id: await several(invite),
      member_role_id: await several(makeRole),
      token_id: [await makeToken()],
    },
    spare: {
      deleteProject: { project: projects },
      updateProject: { project: changed },
      putSettings: { project: changed },
      patchSettings: { project: changed },
      removeMember: { user_id: await several(makeMember) },
      deleteUser: { user_id: await several(makeMember) },
      revokeAccessToken: { token_id: tokens },
      rotateAccessToken: { token_id: tokens },
    },
    inBodies: {
      addMember: {
        user_id: await several(async () => (await newPerson(client)).userId),
        member_role_id: [await makeRole(spares)],
      },
    },
  };
  client.close();
  return world;
}
