import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  badParameter,
  filledText,
  list,
  objectSchema,
  orEmpty,
  readParameters,
  text,
  textParam,
  textsParam,
  type Parameter,
  type Sent,
} from "@faultline/plugin/rest";
import type { CommitSchema } from "@faultline/proto";
import { limits } from "../limits.ts";
import { timeParam } from "./time-param.ts";

const fields = {
  id: filledText("As the version control names it.", { minLength: 1, maxLength: limits.commitId }),
  repository: orEmpty(textParam("The repository.")),
  message: orEmpty(textParam("Its message; a longer one is cut to 1,000 characters.")),
  author_name: orEmpty(textParam("The name of its author.")),
  author_email: orEmpty(textParam("The e-mail address of its author.")),
  committed_at: timeParam("When it was made."),
  paths: textsParam(list(text("A changed file."), { description: "Of a commit the first 200 are kept." })),
};

/** Commits, which only JSON can carry. */
export const commitsParam: Parameter<readonly MessageInitShape<typeof CommitSchema>[] | undefined> = {
  schema: list(objectSchema(fields), { maxItems: limits.commits, description: "The newest first." }),
  read(value, name) {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value) || value.length > limits.commits) throw badParameter(name, "is invalid");
    return value.map((one: unknown) => {
      if (typeof one !== "object" || one === null || Array.isArray(one)) throw badParameter(name, "is invalid");
      const commit = readParameters(fields, one as Sent); // an object, as checked
      return {
        commitId: commit.id,
        repository: commit.repository,
        message: commit.message,
        authorName: commit.author_name,
        authorEmail: commit.author_email,
        ...(commit.committed_at && { committedTime: commit.committed_at }),
        paths: [...(commit.paths ?? [])],
      };
    });
  },
};
