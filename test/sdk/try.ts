import * as assert from "uvu/assert";
import { tempDir } from "../support/service/temp-dir.ts";
import { capturedFeatures, sendCaptures } from "./captured.ts";
import { MissingTool, run } from "./command.ts";
import type { Outcome, Program } from "./feature.ts";
import type { CapturedLanguage, Language } from "./language.ts";
import { builds, titleOf, type Result } from "./matrix.ts";
import type { Servers } from "./observe.ts";

/** Builds the programs of an SDK, lets them report and checks all its features. */
export async function tryLanguage(language: Language, { observe }: Servers): Promise<Result> {
  const failures = new Map<string, string | undefined>();
  const outcomes = new Map<Program, Outcome>();
  try {
    const dir = await build(language);
    for (const program of new Set(language.features.map((feature) => feature.program)))
      outcomes.set(program, await observe(program, language.start(dir, program)));
    failures.set(builds, undefined);
  } catch (error) {
    if (error instanceof MissingTool) return { language, notRun: error.message };
    failures.set(builds, String(error));
  }
  for (const { name, program, check } of language.features) {
    const outcome = outcomes.get(program);
    if (outcome) failures.set(name, await failureOf(() => check(outcome), outcome.output));
  }
  const doors = [...outcomes.values()].flatMap(({ exchanges }) => exchanges.map(({ door }) => door));
  return { language, doors: [...new Set(doors)].toSorted(), failures };
}

/** Sends what an SDK sent elsewhere. */
export async function tryCaptures(language: CapturedLanguage, { wide }: Servers): Promise<Result> {
  const sent = await sendCaptures(wide, titleOf(language).replace(" ", "-"));
  const failures = new Map<string, string | undefined>();
  for (const { name, cases, check } of capturedFeatures(language.version)) {
    const shown = sent.filter((one) => cases.test(one.name));
    const checkAll = () => {
      assert.ok(shown.length > 0, `no capture of ${titleOf(language)} shows it`);
      for (const one of shown) check(one);
    };
    failures.set(name, await failureOf(checkAll, ""));
  }
  return { language, doors: [...new Set(sent.map(({ door }) => door))].toSorted(), failures };
}

async function build(language: Language): Promise<string> {
  const dir = tempDir();
  for (const command of language.build(dir)) {
    const { code, output } = await run(command);
    if (code !== 0) throw new Error(`${command.words.join(" ")} ended with ${code}:\n${output}`);
  }
  return dir;
}

async function failureOf(check: () => void | Promise<void>, output: string): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    const text = error instanceof assert.Assertion ? `${error.message}${error.details || ""}` : String(error);
    return output === "" ? text : `${text}\nThe program printed:\n${output.slice(-2000)}`;
  }
}
