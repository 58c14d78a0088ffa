import type { Api } from "#lib/server/trpc/caller.ts";

/**
 * The names of a project's owners, whom members ask for greater rights. Empty when they cannot be read, as a
 * page is right without it.
 */
export async function ownersOf(api: Api, projectId: number): Promise<string[]> {
  try {
    const { members } = await api.members.listMembers({ projectId, pageSize: 100 });
    return members
      .filter(({ role }) => role === "ROLE_OWNER")
      .flatMap(({ user }) => (user === undefined ? [] : [user.name || user.username]));
  } catch {
    return []; // the names are a help only
  }
}
