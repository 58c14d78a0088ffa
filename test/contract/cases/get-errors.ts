import type { GetErrorsResponse } from "@faultline/proto";
import type { Case } from "../case.ts";
import { type Project, seen } from "../world.ts";

type Request = Parameters<Project["getMany"]>[0];

const titlesOf = ({ errors }: GetErrorsResponse) => errors.map(({ title }) => title.split(":")[0]);

const ids = (project: Project, ...titles: readonly string[]) => Promise.all(titles.map((title) => project.id(title)));

const refused = (name: string, request: Request, answer: string): Case => ({
  name: `${name} are not read`,
  answer,
  observe: (project) => seen(project.getMany(request), titlesOf),
});

const checksNoSearch = "the external system cannot check single errors against a search";

export const getErrorsCases: readonly Case[] = [
  {
    name: "errors by their ids come in the order of these, each once, whatever the order they are asked in",
    answer: ["CheckoutFailed", "Timeout", "OldBug"],
    async observe(project) {
      const errorIds = await ids(project, "OldBug", "Timeout", "CheckoutFailed", "Timeout");
      return seen(project.getMany({ errorIds }), titlesOf);
    },
  },
  {
    name: "errors by their ids are those that there are in the project",
    answer: ["Timeout"],
    async observe(project) {
      const [timeout = ""] = await ids(project, "Timeout");
      const none = ["999999", "0", "x", "-1", "1/../2", "9".repeat(21)];
      return seen(project.getMany({ errorIds: [...none, timeout, project.world.other.errorId] }), titlesOf);
    },
  },
  {
    name: "an error by its id is the same alone and among others",
    answer: true,
    async observe(project) {
      const [errorId = "", another = ""] = await ids(project, "CheckoutFailed", "Timeout");
      const { error } = await project.get(errorId);
      const { errors } = await project.getMany({ errorIds: [another, errorId] });
      const found = errors.find((one) => one.errorId === errorId);
      return seen(Promise.resolve(error), (one) => JSON.stringify(one, bigints) === JSON.stringify(found, bigints));
    },
  },
  {
    name: "errors by their ids, those that match a search",
    answer: ["Timeout"],
    async observe(project) {
      const errorIds = await ids(project, "Timeout", "CheckoutFailed");
      return seen(project.getMany({ errorIds, query: "bank" }), titlesOf);
    },
    differs: {
      faultline: { because: checksNoSearch, answer: "NOT_SUPPORTED_BY_BACKEND" },
      sentry: { because: checksNoSearch, answer: "NOT_SUPPORTED_BY_BACKEND" },
    },
  },
  refused("no ids", { errorIds: [] }, "INVALID_FIELD of error_ids"),
  refused("101 ids", { errorIds: Array.from({ length: 101 }, (_, n) => `${n + 1}`) }, "INVALID_FIELD of error_ids"),
  refused("ids with NUL", { errorIds: ["1\0"] }, "INVALID_FIELD of error_ids"),
];

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
