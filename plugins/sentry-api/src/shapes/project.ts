import type { Project } from "@faultline/proto";
import { organizationId, slugsOf } from "../slugs.ts";
import { isoTime } from "../times.ts";

/** An organization: the first part of a path. Its slug and first creation time are all that is known. */
export function organizationShape(slug: string, firstCreated: string | null): object {
  return {
    id: organizationId(slug),
    slug,
    name: slug,
    status: { id: "active", name: "active" },
    dateCreated: firstCreated,
    avatar: { avatarType: "letter_avatar", avatarUuid: null },
    isEarlyAdopter: false,
    require2FA: false,
    features: [],
  };
}

/** A project with its organization. */
export function projectShape(project: Project): object {
  const { organization } = slugsOf(project.path);
  return {
    ...projectReference(project),
    dateCreated: isoTime(project.createdTime),
    status: "active",
    features: [],
    firstEvent: null,
    isBookmarked: false,
    isInternal: false,
    isMember: true,
    isPublic: false,
    hasAccess: project.capabilities?.read?.allowed === true,
    access: scopesIn(project),
    avatar: { avatarType: "letter_avatar", avatarUuid: null },
    team: null,
    teams: [],
    organization: organizationShape(organization, null),
  };
}

/** A project's reference in an issue. */
export function projectReference({ projectId, name, path }: Project): object {
  return { id: String(projectId), name, slug: slugsOf(path).project, platform: null };
}

function scopesIn({ capabilities }: Project): string[] {
  const { read, updateStatus } = capabilities ?? {};
  return [
    "project:read",
    ...(read?.allowed === true ? ["event:read"] : []),
    ...(updateStatus?.allowed === true ? ["event:write"] : []),
  ];
}
