import { json, noContent, offsetPage } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage, query } from "../parameters.ts";
import { accessLevel } from "../schemas.ts";
import { flag, list, positive, ref, text } from "../schema.ts";

const members = "/projects/{project}/members";
const invitations = "/projects/{project}/invitations";
const given = {
  access_level: accessLevel,
  member_role_id: positive("A custom role; `access_level` is then its base role, or absent."),
};
const listing = {
  needs: ["Guest", "read"],
  query: [
    query("query", text("Only those whose name or user name contains this text.", { maxLength: 255 })),
    page,
    perPage,
  ],
  answers: { 200: offsetPage("The members, by user name.", "Member") },
} as const;
const reading = { needs: ["Guest", "read"], answers: { 200: json("The member.", ref("Member")) } } as const;

export const memberPaths = resource("Members", {
  [members]: {
    get: { id: "listMembers", summary: "List the members of a project", ...listing },
    post: {
      id: "addMember",
      summary: "Add a user to a project",
      more: "Names the user by `user_id` or by `username`, and the role by `access_level` or by `member_role_id`.",
      needs: ["Maintainer", "write"],
      body: {
        fields: { user_id: positive("The user."), username: text("The user's name.", { maxLength: 255 }), ...given },
      },
      answers: { 201: json("The new member.", ref("Member")) },
      refuses: [409],
    },
  },
  [`${members}/all`]: {
    get: {
      id: "listAllMembers",
      summary: "List the members of a project",
      more: "As without `/all`: a project has no group to inherit members from.",
      ...listing,
    },
  },
  [`${members}/all/{user_id}`]: {
    get: { id: "getAnyMember", summary: "Read a member", more: "As without `/all`.", ...reading },
  },
  [`${members}/{user_id}`]: {
    get: { id: "getMember", summary: "Read a member", ...reading },
    put: {
      id: "updateMember",
      summary: "Give a member another role",
      needs: ["Maintainer", "write"],
      body: { fields: given },
      answers: { 200: json("The changed member.", ref("Member")) },
    },
    delete: {
      id: "removeMember",
      summary: "Remove a member",
      more: "Members may remove themselves, whatever their role.",
      needs: ["Maintainer", "write"],
      answers: { 204: noContent },
    },
  },
  [invitations]: {
    get: {
      id: "listInvitations",
      summary: "List the open invitations to a project",
      needs: ["Maintainer", "read"],
      answers: { 200: json("The invitations.", list(ref("Invitation"))) },
    },
    post: {
      id: "createInvitation",
      summary: "Make an invitation",
      more: "The link in the answer is to be handed over; nothing is sent by e-mail.",
      needs: ["Maintainer", "write"],
      body: { fields: { ...given, note: text("Whom it is for.", { maxLength: 255 }) } },
      answers: { 201: json("The invitation with its link.", ref("NewInvitation")) },
    },
  },
  [`${invitations}/{invitation_id}`]: {
    delete: {
      id: "revokeInvitation",
      summary: "Revoke an invitation",
      needs: ["Maintainer", "write"],
      answers: { 204: noContent },
    },
  },
});

export const memberRolePaths = resource("Custom roles", {
  "/member_roles": {
    get: {
      id: "listMemberRoles",
      summary: "List the custom roles",
      needs: ["User", "read"],
      answers: { 200: json("The custom roles.", list(ref("MemberRole"))) },
    },
    post: {
      id: "createMemberRole",
      summary: "Make a custom role",
      more: "It must add something to its base role.",
      needs: ["Administrator", "write"],
      body: {
        fields: {
          name: text("Its name.", { minLength: 1, maxLength: 255 }),
          description: text("What it is for.", { maxLength: 255 }),
          base_access_level: { ...accessLevel, enum: [10, 20, 30, 40] },
          read_error_tracking: flag("Adds: read errors."),
          update_error_tracking: flag("Adds: change the status of errors."),
          report_events: flag("Adds: report events over gRPC."),
          admin_error_tracking: flag("Adds: see and change settings and client keys."),
          admin_project: flag("Adds: change the project."),
          admin_project_members: flag("Adds: invite, change and remove members."),
          remove_project: flag("Adds: delete the project."),
        },
        required: ["name", "base_access_level"],
      },
      answers: { 201: json("The new custom role.", ref("MemberRole")) },
    },
  },
  "/member_roles/{member_role_id}": {
    delete: {
      id: "deleteMemberRole",
      summary: "Delete a custom role that nobody has",
      needs: ["Administrator", "write"],
      answers: { 204: noContent },
    },
  },
});
