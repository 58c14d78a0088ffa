import type { Case } from "../case.ts";
import { commit } from "../data.ts";
import type { Project } from "../world.ts";

const base = "https://git.example.com/acme/web/-";

/** Sets the address of the project's code, and removes it afterwards. */
async function atCode<Seen>({ world }: Project, see: () => Promise<Seen>): Promise<Seen> {
  const { client, projectId } = world;
  const place = { codeUrl: `${base}/blob/{revision}/{path}#L{line}`, codeRoot: "/srv/" };
  await client.projects.updateProject({ projectId, ...place }, client.auth);
  try {
    return await see();
  } finally {
    await client.projects.updateProject({ projectId, codeUrl: "", codeRoot: "" }, client.auth);
  }
}

async function releases(project: Project, title: string): Promise<unknown> {
  const { error } = await project.get(await project.id(title));
  return [error?.firstCommit, error?.firstReleaseUrl, error?.lastCommit, error?.lastReleaseUrl];
}

async function lines(project: Project): Promise<unknown> {
  const { event } = await project.event({ errorId: await project.id("CheckoutFailed") });
  return event?.exceptions.flatMap(({ frames }) => frames.map(({ codeUrl }) => codeUrl));
}

export const codeLinkCases: readonly Case[] = [
  {
    name: "releases with a commit link to it",
    answer: [commit, `${base}/commit/${commit}`, commit, `${base}/commit/${commit}`],
    observe: (project) => atCode(project, () => releases(project, "KeyMissing")),
  },
  {
    name: "releases without a commit link to their tags",
    answer: ["", `${base}/tags/shop%401`, "", `${base}/tags/shop%402`],
    observe: (project) => atCode(project, () => releases(project, "CheckoutFailed")),
  },
  {
    name: "frames of the application link to their lines",
    answer: [`${base}/blob/shop%402/app/total.js#L12`, "", `${base}/blob/shop%402/app/cart.js#L12`],
    observe: (project) => atCode(project, () => lines(project)),
  },
  {
    name: "without an address of the code, commits are known and nothing is linked",
    answer: [
      [commit, "", commit, ""],
      ["", "", ""],
    ],
    observe: async (project) => [await releases(project, "KeyMissing"), await lines(project)],
  },
];
