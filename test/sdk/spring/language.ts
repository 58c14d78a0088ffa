import { join } from "node:path";
import { probe } from "../command.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";

/** A controller that throws, with a version of Spring Boot and the SDK's starter for it. */
function language(name: string, starter: string, version: string, boot: string): Language {
  const versions = [`-Dboot=${boot}`, `-Dstarter=${starter}`, `-Dsdk=${version}`];
  return {
    name,
    sdk: `io.sentry:${starter}`,
    version,
    build: (dir) => [
      probe("mvn", "-version"),
      probe("javac", "-version"),
      {
        words: ["mvn", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${dir}`, ...versions],
        cwd: import.meta.dirname,
        limitSeconds: 240,
      },
      {
        words: ["javac", "-encoding", "UTF-8", "-cp", join(dir, "*"), "-d", dir, "GetStarted.java"],
        cwd: import.meta.dirname,
        limitSeconds: 60,
      },
    ],
    start: (dir) => ({
      words: ["java", "-cp", [join(dir, "*"), dir, import.meta.dirname].join(":"), "shop.GetStarted"],
      cwd: dir,
      limitSeconds: 60,
    }),
    features: [getStarted],
    remarks: [`with Spring Boot ${boot}; the lines of the get-started page alone`],
  };
}

export const spring = language("spring", "sentry-spring-boot-starter-jakarta", "8.52.0", "3.5.16");

export const springBoot4 = language("spring-boot-4", "sentry-spring-boot-4-starter", "8.51.0", "4.0.9");
