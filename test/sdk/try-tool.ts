import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactBundleState } from "@faultline/proto";
import { grpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { MissingTool, run } from "./command.ts";
import type { BuildTool } from "./language.ts";
import { builds, type Result } from "./matrix.ts";
import { npmInstall } from "./npm-install.ts";
import type { Servers } from "./observe.ts";
import { uploadEnvironments } from "./upload-environments.ts";

/** Installs a tool, lets it upload to a new project and reads the list of uploads. */
export async function tryTool(tool: BuildTool, { wide }: Servers): Promise<Result> {
  const failures = new Map<string, string | undefined>();
  const client = grpcClient(wide);
  try {
    const organization = `${tool.name}-${tool.version.replaceAll(".", "-")}`;
    const project = await createProject(wide, { name: "Web", path: `${organization}/web` });
    const environments = await uploadEnvironments(client, { projectId: project.id, organization, url: wide.url });
    const dir = await installed(tool);
    failures.set(builds, undefined);
    for (const [claim, failure] of await tool.attempt(dir, environments)) failures.set(claim, failure);
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    const isListed = artifactBundles.some(
      ({ state, mappedFileCount }) => state === ArtifactBundleState.OK && mappedFileCount === 1,
    );
    failures.set("the upload is in the list of uploads", isListed ? undefined : "it is not");
  } catch (error) {
    if (error instanceof MissingTool) return { language: tool, notRun: error.message };
    failures.set(builds, String(error));
  } finally {
    client.close();
  }
  return { language: tool, doors: [], failures };
}

async function installed({ sdk, version, packages = {}, prepare }: BuildTool): Promise<string> {
  const dir = tempDir();
  const dependencies = { [sdk]: version, ...packages };
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  const { code, output } = await run(npmInstall(dir));
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${output}`);
  await prepare(dir);
  return dir;
}
