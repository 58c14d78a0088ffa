import { json, noContent, type Answer } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage, query } from "../parameters.ts";
import { choice, flag, list, positive, ref, text } from "../schema.ts";

const fields = {
  username: text("2 to 255 letters, digits, `_`, `.` and `-`.", { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]{1,254}$" }),
  name: text("The name that is shown.", { maxLength: 255 }),
  email: text("The e-mail address; empty: none.", { maxLength: 254 }),
  admin: flag("Administers the installation."),
};

const users: Answer = {
  ...json("The users, by id.", list(ref("User"))),
  headers: { Link: { $ref: "#/components/headers/Link" } },
};
const done = { 201: json("It is done.", { type: "boolean", const: true }) };

export const userPaths = resource("Users", {
  "/user": {
    get: {
      id: "getCurrentUser",
      summary: "Read the user whose token this is",
      needs: ["User", "read"],
      answers: { 200: json("The user.", ref("User")) },
    },
  },
  "/users": {
    get: {
      id: "listUsers",
      summary: "List the users",
      more:
        "Keyset pagination: the header `Link` names the next page. Numbered pages (`page`) are deprecated since release 16.5 " +
        "of the platform and refused with 400 from 17.0 on; before, answers carry the headers `X-Total` and so on, and " +
        "those that use them the headers `Deprecation` and `Sunset`.",
      needs: ["User", "read"],
      query: [
        query(
          "search",
          text("Only those whose name or user name contains this, or whose e-mail address is this.", {
            maxLength: 255,
          }),
        ),
        query("username", text("Only the user with exactly this name.", { maxLength: 255 })),
        query("pagination", choice("`offset` only where numbered pages still exist.", ["keyset", "offset"])),
        query("order_by", choice("The order.", ["id"])),
        query("sort", choice("Its direction.", ["asc"])),
        query("id_after", positive("Only those with a greater id.")),
        perPage,
        { ...page, deprecated: true },
      ],
      answers: { 200: users },
    },
    post: {
      id: "createUser",
      summary: "Make a user",
      needs: ["Administrator", "write"],
      body: {
        fields: {
          ...fields,
          password: text("12 to 1,024 bytes. Absent: set by a link that an administrator makes in the console.", {
            minLength: 12,
            maxLength: 1024,
          }),
        },
        required: ["username"],
      },
      answers: { 201: json("The new user.", ref("User")) },
      refuses: [409],
    },
  },
  "/users/{user_id}": {
    get: {
      id: "getUser",
      summary: "Read a user",
      needs: ["User", "read"],
      answers: { 200: json("The user.", ref("User")) },
    },
    put: {
      id: "updateUser",
      summary: "Change a user",
      more: "What is not given stays as it is.",
      needs: ["Administrator", "write"],
      body: { fields },
      answers: { 200: json("The changed user.", ref("User")) },
      refuses: [409],
    },
    delete: {
      id: "deleteUser",
      summary: "Delete a user",
      more: "Sessions, tokens and memberships go with it.",
      needs: ["Administrator", "write"],
      answers: { 204: noContent },
    },
  },
  "/users/{user_id}/block": {
    post: { id: "blockUser", summary: "Block a user", needs: ["Administrator", "write"], answers: done },
  },
  "/users/{user_id}/unblock": {
    post: { id: "unblockUser", summary: "Unblock a user", needs: ["Administrator", "write"], answers: done },
  },
});
