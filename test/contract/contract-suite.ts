import * as assert from "uvu/assert";
import type { Case } from "./case.ts";
import { cases } from "./cases.ts";
import { Project, type World } from "./world.ts";

/**
 * Adds every case of the contract to a suite, for one world. A case has one answer for all worlds; where one of them
 * answers otherwise, the case says so and why.
 */
export function contractSuite(suite: (name: string, work: () => Promise<void>) => void, world: World): void {
  const project = new Project(world);
  for (const one of cases) {
    suite(nameOf(one, world), async () => {
      const difference = one.differs?.[world.kind];
      const observed = await one.observe(project);
      assert.equal(observed, difference ? difference.answer : one.answer);
      // A difference that is none would hide the next one.
      if (difference) assert.not.equal(difference.answer, one.answer);
    });
  }
}

function nameOf({ name, differs }: Case, { kind }: World): string {
  const difference = differs?.[kind];
  return difference ? `${kind}: ${name}, but differs: ${difference.because}` : `${kind}: ${name}`;
}
