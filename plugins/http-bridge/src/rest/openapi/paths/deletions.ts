import { cursorPage, json } from "../answers.ts";
import { resource } from "../operation.ts";
import { cursor, perPage } from "../parameters.ts";
import { choice, flag, positive, ref, text, time } from "../schema.ts";
import { errorIds } from "./errors.ts";

const tracking = "/projects/{project}/error_tracking";
const end = "At most one of the three ends is given.";

export const deletionPaths = resource("Deletions", {
  [`${tracking}/deletions`]: {
    get: {
      id: "listDeletions",
      summary: "List the deletions of a project",
      needs: ["Reporter", "read"],
      query: [perPage, cursor],
      answers: { 200: cursorPage("The deletions, the newest first.", "Deletion") },
    },
    post: {
      id: "createDeletion",
      summary: "Delete errors",
      more: "Either `ids`, or all errors that `query` and `status` find: these only with `expected_count`, and a count that is more than 10 % off is refused with 409. What is refused changes nothing. For ten minutes it can be undone.",
      needs: ["Maintainer", "write"],
      body: {
        fields: {
          ids: errorIds,
          query: text("All errors that this search finds.", { maxLength: 200 }),
          status: choice("Of these only those of this status; `all` unless given.", [
            "unresolved",
            "resolved",
            "ignored",
            "all",
          ]),
          expected_count: positive("How many errors you expect to delete; required with `query` or `status`."),
          undo: flag("False: erase at once, without undo, as for a disk that is full.", { default: true }),
          discard: flag("Do not store later events of the same groups; count them."),
          discard_until: { ...time(`Discard until this time. ${end}`) },
          discard_after: positive(`Discard so many events. ${end}`),
          discard_until_release: text(
            `Discard until an event of this release comes, or of a greater semantic version of the same package. ${end}`,
            { minLength: 1, maxLength: 200 },
          ),
        },
      },
      answers: { 202: json("The deletion.", ref("Deletion")) },
      refuses: [409, 422],
    },
  },
  [`${tracking}/deletions/{deletion_id}`]: {
    get: {
      id: "getDeletion",
      summary: "Read how far a deletion has come",
      needs: ["Reporter", "read"],
      answers: { 200: json("The deletion.", ref("Deletion")) },
    },
  },
  [`${tracking}/deletions/{deletion_id}/undo`]: {
    post: {
      id: "undoDeletion",
      summary: "Undo a deletion",
      more: "Until its `undo_until`. An error whose group has a newer error comes back beside it and gets no new events: `superseded_count` says how many.",
      needs: ["Maintainer", "write"],
      answers: { 200: json("The deletion.", ref("Deletion")) },
      refuses: [409],
    },
  },
  [`${tracking}/discards`]: {
    get: {
      id: "listDiscards",
      summary: "List what a project discards",
      needs: ["Reporter", "read"],
      query: [perPage, cursor],
      answers: { 200: cursorPage("The discards: those that go on first, then the newest.", "ListedDiscard") },
    },
  },
  [`${tracking}/discards/{discard_id}`]: {
    delete: {
      id: "endDiscard",
      summary: "Record the events of a discard again",
      needs: ["Maintainer", "write"],
      answers: { 200: json("The discard, which is over.", ref("Discard")) },
    },
  },
});
