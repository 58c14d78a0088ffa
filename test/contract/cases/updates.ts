import { ErrorStatus, type UpdateErrorsResponse } from "@faultline/proto";
import type { Case } from "../case.ts";
import { type Project, seen } from "../world.ts";

const { UNSPECIFIED, UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;

type Changes = Parameters<Project["update"]>[0];

/** The changes of an update, the status before, by title, and the list after it; all is undone afterwards. */
async function changed(project: Project, changes: Changes): Promise<unknown> {
  const answer = await project.update(changes);
  const after = await statuses(project);
  await project.update(answer.undo.map(({ errorId, status }) => [errorId, status]));
  return { answer: summaryOf(answer), after, undone: await statuses(project) };
}

function summaryOf({ errors, undo }: UpdateErrorsResponse) {
  const titles = new Map(errors.map(({ errorId, title }) => [errorId, title.split(":")[0]]));
  return {
    now: Object.fromEntries(errors.map(({ title, status }) => [title.split(":")[0], status]).toSorted()),
    before: Object.fromEntries(undo.map(({ errorId, status }) => [titles.get(errorId), status]).toSorted()),
  };
}

async function statuses(project: Project) {
  const listed = async (status: ErrorStatus) =>
    (await project.list({ status })).errors.map(({ title }) => title.split(":")[0]).toSorted();
  return { resolved: await listed(RESOLVED), ignored: await listed(IGNORED) };
}

const asBefore = { resolved: ["OldBug"], ignored: ["Noise"] };

const refused = (name: string, changes: Changes, answer: unknown): Case => ({
  name,
  answer,
  observe: (project) => seen(project.update(changes), summaryOf),
});

export const updateCases: readonly Case[] = [
  {
    name: "an error is resolved, and that is undone",
    answer: {
      answer: { now: { Timeout: RESOLVED }, before: { Timeout: UNRESOLVED } },
      after: { resolved: ["OldBug", "Timeout"], ignored: ["Noise"] },
      undone: asBefore,
    },
    observe: async (project) => changed(project, [[await project.id("Timeout"), RESOLVED]]),
  },
  {
    name: "several errors get several statuses, and that is undone",
    answer: {
      answer: {
        now: { FreshOne: IGNORED, Noise: RESOLVED, OldBug: UNRESOLVED, Timeout: IGNORED },
        before: { FreshOne: UNRESOLVED, Noise: IGNORED, OldBug: RESOLVED, Timeout: UNRESOLVED },
      },
      after: { resolved: ["Noise"], ignored: ["FreshOne", "Timeout"] },
      undone: asBefore,
    },
    observe: async (project) =>
      changed(project, [
        [await project.id("Timeout"), IGNORED],
        [await project.id("OldBug"), UNRESOLVED],
        [await project.id("Noise"), RESOLVED],
        [await project.id("FreshOne"), IGNORED],
      ]),
  },
  {
    name: "a status that an error has already is set again",
    answer: {
      answer: { now: { OldBug: RESOLVED }, before: { OldBug: RESOLVED } },
      after: asBefore,
      undone: asBefore,
    },
    observe: async (project) => changed(project, [[await project.id("OldBug"), RESOLVED]]),
  },
  {
    name: "errors that there are not, and of other projects, are left out",
    answer: {
      answer: { now: { Timeout: IGNORED }, before: { Timeout: UNRESOLVED } },
      after: { resolved: ["OldBug"], ignored: ["Noise", "Timeout"] },
      undone: asBefore,
    },
    observe: async (project) =>
      changed(project, [
        ["999999", RESOLVED],
        [await project.id("Timeout"), IGNORED],
        [project.world.other.errorId, RESOLVED],
      ]),
  },
  {
    name: "an error of another project is left as it is",
    answer: { answer: { now: {}, before: {} }, status: UNRESOLVED },
    async observe(project) {
      const { client, other } = project.world;
      const answer = summaryOf(await project.update([[other.errorId, RESOLVED]]));
      const { error } = await client.errors.getError(
        { projectId: other.projectId, errorId: other.errorId },
        client.auth,
      );
      return { answer, status: error?.status };
    },
  },
  {
    name: "an error that was changed is returned with the time of the change",
    answer: "2026-01-10T12:30:00.000Z",
    async observe(project) {
      const errorId = await project.id("Timeout");
      const { errors } = await project.update([[errorId, RESOLVED]]);
      await project.update([[errorId, UNRESOLVED]]);
      const seconds = errors[0]?.statusChangedTime?.seconds;
      return seconds === undefined ? "not reported" : new Date(Number(seconds) * 1000).toISOString();
    },
  },
  refused("only errors that there are not", [["999999", RESOLVED]], { now: {}, before: {} }),
  refused("an id that is none", [["x", RESOLVED]], { now: {}, before: {} }),
  refused("an id with NUL", [["\0", RESOLVED]], "INVALID_FIELD of error_id"),
  refused("an id that leads elsewhere", [["1/../2", RESOLVED]], { now: {}, before: {} }),
  refused("no change", [], "INVALID_FIELD of changes"),
  refused("a status that is none", [["1", UNSPECIFIED]], "INVALID_FIELD of changes[0].status"),
  refused("a status that there is not", [["1", 9 as ErrorStatus]], "INVALID_FIELD of changes[0].status"),
  refused(
    "1,001 changes",
    Array.from({ length: 1001 }, (_, id) => [String(id + 1), RESOLVED]),
    "INVALID_FIELD of changes",
  ),
  {
    name: "one error twice",
    answer: "INVALID_FIELD of changes",
    async observe(project) {
      const errorId = await project.id("Timeout");
      return seen(
        project.update([
          [errorId, RESOLVED],
          [errorId, IGNORED],
        ]),
        summaryOf,
      );
    },
  },
];
