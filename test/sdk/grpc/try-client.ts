import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Role } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { repositoryRoot } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { MissingTool, run } from "../command.ts";
import { builds, type Result } from "../matrix.ts";
import type { Servers } from "../observe.ts";
import type { GrpcClient } from "./clients.ts";

/** Generates the code of a language from the proto files, and runs the program that docs/grpc.md shows. */
export async function tryClient(language: GrpcClient, { wide }: Servers): Promise<Result> {
  const failures = new Map<string, string | undefined>();
  const client = grpcClient(wide);
  try {
    const project = await createProject(wide);
    const { token } = await newMember(client, project.id, Role.REPORTER, ["read_api"]);
    await sendEvent(wide, project, { event_id: newEventId(), message: `an error for ${language.name}` });
    const dir = tempDir();
    language.write(
      dir,
      programOf(language.block).replace("127.0.0.1:50051", wide.grpcAddress).replace("acme/web", project.path),
    );
    for (const command of language.build(dir)) {
      const { code, output } = await run(command);
      if (code !== 0) throw new Error(`${command.words.join(" ")} ended with ${code}:\n${output}`);
    }
    failures.set(builds, undefined);
    for (const [claim, secret, expected] of [
      ["the program of docs/grpc.md lists errors", token, `an error for ${language.name}`],
      ["the program reads the reason of a refusal from google.rpc.Status", "flp_nobody", "TOKEN_REQUIRED"],
    ] as const) {
      const command = language.start(dir);
      const { output } = await run({ ...command, env: { ...command.env, FAULTLINE_TOKEN: secret } });
      failures.set(claim, output.trim() === expected ? undefined : `it printed:\n${output}`);
    }
  } catch (error) {
    if (error instanceof MissingTool) return { language, notRun: error.message };
    failures.set(builds, String(error));
  } finally {
    client.close();
  }
  return { language, doors: [], failures };
}

/** The program in a block of docs/grpc.md. */
function programOf(block: string): string {
  const text = readFileSync(join(repositoryRoot, "docs/grpc.md"), "utf8");
  const [, program] = new RegExp(`^\`\`\`${block}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text) ?? [];
  if (program === undefined) throw new Error(`docs/grpc.md has no program in ${block}.`);
  return program;
}
