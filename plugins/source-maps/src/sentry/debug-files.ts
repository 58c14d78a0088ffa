import type { HttpAnswer, HttpCall } from "@faultline/plugin";
import { ArtifactBundleKind } from "@faultline/proto";
import { mappingIdOf } from "../proguard/mapping-name.ts";
import { uploadLimits } from "../uploads/limits.ts";
import { detail, managed } from "./answers.ts";
import { isTexts, states } from "./assemble.ts";
import { projectKey, type ProjectPathOf } from "./project-key.ts";

/** Files that one call may name; sentry-cli 3.8 names all mappings of a command at once. */
const mostFiles = 50;

/** How long a call waits for its files to be read. Sentry's clients give up after 30 seconds. */
const waitMs = 20_000;

/** How a file of the body is described. */
type SentFile = Readonly<Record<string, unknown>>;

/** `POST .../files/difs/assemble/`: reads mappings of ProGuard and R8 of chunks; the body has them by their SHA-1. */
export const assembleDebugFiles =
  (pathOf: ProjectPathOf) =>
  async (call: HttpCall): Promise<HttpAnswer> => {
    const key = projectKey(pathOf, call.path["organization"] ?? "", call.path["project"] ?? "");
    if (!key) return detail(404, `There is no project ${call.path["project"] ?? ""}.`);
    const files = Object.entries(call.body);
    if (files.length > mostFiles) return detail(400, `Name at most ${mostFiles} files. Upload the others afterwards.`);
    await call.spend(Math.max(files.length - 1, 0));
    const waiting = { ...call, signal: AbortSignal.any([call.signal, AbortSignal.timeout(waitMs)]) };
    const assembleFile = async (checksum: string, { name, chunks }: SentFile): Promise<object> => {
      const debugId = typeof name === "string" ? mappingIdOf(name) : undefined;
      if (debugId === undefined) return { state: "error", missingChunks: [], detail: onlyMappings };
      if (!isTexts(chunks)) return { state: "error", missingChunks: [], detail: "`chunks` must be a list of SHA-1s." };
      const mapping = { checksum, chunks, kind: ArtifactBundleKind.PROGUARD, debugId };
      const answer = await call.core.sourceMaps.assembleArtifactBundle({ ...key, ...mapping }, waiting);
      return {
        state: states[answer.state],
        missingChunks: answer.missingChunks,
        detail: answer.artifactBundle?.detail || null,
      };
    };
    const answers: (readonly [checksum: string, answer: object])[] = [];
    // As many at once as may wait for a project.
    for (let n = 0; n < files.length; n += uploadLimits.waitingOfProject)
      answers.push(
        ...(await Promise.all(
          files
            .slice(n, n + uploadLimits.waitingOfProject)
            .map(async ([checksum, file]) => [checksum, await assembleFile(checksum, asFile(file))] as const),
        )),
      );
    return managed(Object.fromEntries(answers));
  };

const asFile = (value: unknown): SentFile => (typeof value === "object" && value !== null ? (value as SentFile) : {});

const onlyMappings =
  "Only ProGuard and R8 mappings are supported as debug files: upload them with sentry-cli upload-proguard. Native symbols, PDB and JVM source bundles are not supported.";
