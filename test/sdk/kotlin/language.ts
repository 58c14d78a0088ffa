import { join } from "node:path";
import { probe } from "../command.ts";
import { grouped } from "../grouping.ts";
import type { Language } from "../language.ts";

const version = "8.62.0";
const versions = { kotlin: "2.2.20", coroutines: "1.10.2", sdk: version };

/** Coroutines that fail. With assertions (`-ea`) they are debugged: stacks are recovered where a coroutine awaits another. */
export const kotlin: Language = {
  name: "kotlin",
  sdk: "io.sentry:sentry",
  version,
  build: (dir) => [
    probe("mvn", "-version"),
    {
      words: [
        "mvn",
        "-B",
        "dependency:copy-dependencies",
        `-DoutputDirectory=${dir}`,
        ...Object.entries(versions).map(([name, of]) => `-D${name}=${of}`),
      ],
      cwd: import.meta.dirname,
      limitSeconds: 240,
    },
    {
      words: [
        "java",
        "-cp",
        join(dir, "*"),
        "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
        "-no-stdlib",
        "-no-reflect",
        "-cp",
        [`kotlin-stdlib-${versions.kotlin}`, `kotlinx-coroutines-core-jvm-${versions.coroutines}`, `sentry-${version}`]
          .map((name) => join(dir, `${name}.jar`))
          .join(":"),
        "-d",
        dir,
        "Grouping.kt",
      ],
      cwd: import.meta.dirname,
      limitSeconds: 120,
    },
  ],
  start: (dir) =>
    ["1", "2"].map((run) => ({
      words: ["java", "-ea", "-cp", `${join(dir, "*")}:${dir}`, "bakery.GroupingKt", run],
      cwd: dir,
      limitSeconds: 60,
    })),
  features: [
    grouped("a coroutine that fails uncaught is one error over two runs", "uncaught", [
      ["NoFlour: no flour for bread 1", "NoFlour: no flour for bread 2"],
    ]),
    grouped("a coroutine that fails and is awaited is one error over two runs", "awaited", [
      ["NoFlour: no flour for cake 1", "NoFlour: no flour for cake 2"],
    ]),
  ],
  remarks: [`Kotlin ${versions.kotlin} with kotlinx-coroutines ${versions.coroutines}; only the errors of coroutines`],
};
