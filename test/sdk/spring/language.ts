import { join } from "node:path";
import type { Event } from "@faultline/proto";
import * as assert from "uvu/assert";
import { probe } from "../command.ts";
import { getStarted } from "../get-started.ts";
import type { Feature } from "../feature.ts";
import { grouped, times } from "../grouping.ts";
import type { Language } from "../language.ts";

const uninitialised = "LazyInitializationException: Could not initialize proxy [depot.Shelf#4711] - no session";
const uncreated =
  "BeanCreationException: Error creating bean with name 'scales' defined in class path resource [depot/Equipment.class]: " +
  "Failed to instantiate [depot.Scales]: Factory method 'scales' threw exception with message: the scales are unplugged";

const groupingFeatures: readonly Feature[] = [
  {
    name: "Spring generates a class with another name in each run",
    program: "grouping",
    check({ events }) {
      const classes = events.filter(({ tags }) => tags["case"] === "transaction").flatMap(generatedClasses);
      assert.equal(classes.toSorted(), ["depot.Shelves$$SpringCGLIB$$0", "depot.Shelves$$SpringCGLIB$$1"]);
    },
  },
  grouped("a method that Spring makes transactional is one error over two runs", "transaction", [
    ["IllegalStateException: shelf 17 is empty", "IllegalStateException: shelf 18 is empty"],
  ]),
  grouped("a method of a Spring configuration is one error over two runs", "configuration", [times(2, uncreated)]),
  grouped("a Hibernate entity that is read too late is one error over two runs", "entity", [times(2, uninitialised)]),
];

const generatedClasses = ({ exceptions }: Event) =>
  exceptions.flatMap(({ frames }) => frames.map((frame) => frame.module).filter((name) => name.includes("$$")));

/** A controller that throws, and classes that are generated at run time, with a version of Spring Boot and the SDK's starter for it. */
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
        words: ["javac", "-encoding", "UTF-8", "-cp", join(dir, "*"), "-d", dir, "GetStarted.java", "Grouping.java"],
        cwd: import.meta.dirname,
        limitSeconds: 60,
      },
    ],
    start: (dir, program) => {
      const words = ["java", "-cp", [join(dir, "*"), dir, import.meta.dirname].join(":")] as const;
      const main = (...rest: readonly string[]) => ({
        words: [...words, ...rest] as const,
        cwd: dir,
        limitSeconds: 60,
      });
      return program === "grouping" ? ["0", "1"].map((run) => main("depot.Grouping", run)) : main("shop.GetStarted");
    },
    features: [getStarted, ...groupingFeatures],
    remarks: [`with Spring Boot ${boot}; the lines of the Get started page, and errors of generated classes`],
  };
}

export const spring = language("spring", "sentry-spring-boot-starter-jakarta", "8.52.0", "3.5.16");

export const springBoot4 = language("spring-boot-4", "sentry-spring-boot-4-starter", "8.51.0", "4.0.9");
