import { setTimeout as delay } from "node:timers/promises";
import { firstErrors, allErrorsRequest } from "#lib/errors/list-choices.ts";
import { refusal } from "#lib/failures/refusal.server.ts";
import type { ProjectErrors } from "#lib/messages.ts";
import type { AllErrors, ProjectAnswer } from "#lib/failures/project-answer.ts";
import type { AllErrorsQuery } from "#lib/navigation/route.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

/** How long the page waits for answers of projects. Projects stored here are faster; later answers are streamed. */
const waitMs = 400;

/** The errors of all projects that are known soon. */
export async function allErrors(api: Api, asked: AllErrorsQuery, pageSize: number): Promise<AllErrors> {
  const { sort = "last_seen" } = asked;
  const stream = (await api.errors.listAllErrors(allErrorsRequest(asked, pageSize)))[Symbol.asyncIterator]();
  const first = await stream.next();
  const sent = first.done === true ? undefined : first.value.asked;
  if (sent === undefined) throw new Error("the first message must name the projects that are asked");

  const pending = new Map(sent.projects.map(({ projectId }) => [projectId, Promise.withResolvers<ProjectAnswer>()]));
  const come = new Map<number, ProjectAnswer>();
  const take = (answer: ProjectAnswer) => {
    come.set(answer.projectId, answer);
    pending.get(answer.projectId)?.resolve(answer);
  };
  const readRest = async () => {
    const reading: Promise<void>[] = [];
    let failure = refusal("CORE_UNREACHABLE");
    try {
      for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
        if (next.value.answer) reading.push(read(api, next.value.answer).then(take));
      }
    } catch (error) {
      failure = refusalOfTrpc(error);
    }
    await Promise.all(reading);
    for (const projectId of pending.keys()) {
      if (!come.has(projectId)) take({ projectId, errors: [], refusal: failure });
    }
  };
  await Promise.race([readRest(), delay(waitMs)]);

  const answers = [...come.values()];
  const isLate = ({ projectId }: { projectId: number }) => !answers.some((answer) => answer.projectId === projectId);
  return {
    projects: sent.projects,
    leftOut: sent.leftOut,
    errors: firstErrors(
      answers.flatMap(({ errors }) => errors),
      sort,
      pageSize,
    ),
    answers: answers.map((answer) => ({ ...answer, errors: [] })),
    late: sent.projects.filter(isLate).flatMap(({ projectId }) => pending.get(projectId)?.promise ?? []),
  };
}

async function read(api: Api, answer: ProjectErrors): Promise<ProjectAnswer> {
  const { refusal: refused, ...rest } = answer;
  if (refused === undefined) return { ...rest, refusal: null };
  const { projectId } = answer;
  const { message, retryAfterSeconds } = refused;
  const reason = refused.reason.replace(/^ERROR_REASON_/, "");
  // People who cannot change the settings get no link to them. Nothing is known of a newly hidden project.
  const settings = await api.projects.getProject({ projectId }).then(
    ({ project }) => project?.capabilities?.adminErrorTracking,
    () => undefined,
  );
  return { ...rest, refusal: refusal(reason, message, { retryAfterSeconds }), settings };
}
