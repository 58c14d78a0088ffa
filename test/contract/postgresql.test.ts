import { test } from "uvu";
import { movableClock, movableFaultline } from "../support/service/movable-faultline.ts";
import { freshDatabase } from "../support/database/postgresql.ts";
import { contractSuite } from "./contract-suite.ts";
import { now } from "./data.ts";
import { integratedWorld } from "./worlds/integrated.ts";

/** The cases of backends.test.ts against the integrated backend on PostgreSQL. */

const clock = movableClock();
clock.at = now;
const service = await movableFaultline({ databaseUrl: await freshDatabase() }, clock);

contractSuite(test, await integratedWorld(service));

test.run();
