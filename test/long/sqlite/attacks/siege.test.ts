// alone: loads the machine
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../../support/core/grpc.ts";
import { newMember } from "../../../support/core/person.ts";
import { createProject } from "../../../support/core/project.ts";
import { newEventId, sendStore } from "../../../support/sentry/send.ts";
import { startServer } from "../../../support/service/server.ts";
import { inOwnMounts, smallDisk, whyNoMounts } from "../../../support/service/small-disk.ts";
import { attacks } from "../../../siege/attacks.ts";
import { directoryMiB } from "../../../siege/besiege.ts";
import { bounds, logMiB } from "../../../siege/oracle.ts";
import { Role } from "@faultline/proto";
import { setTimeout as delay } from "node:timers/promises";
import { bound, measuringTest, memoryOf } from "../../../support/measure/measured.ts";

/**
 * Attacks of `npm run test:siege` for a second each, without times: the attacks with one DSN on disk, rows and
 * attention. Decoders, gRPC, JSON and searches have separate tests.
 */

const missing = whyNoMounts();
if (missing !== "") console.log(`Skipped: attacks on a small disk, as ${missing}.`);
else inOwnMounts(import.meta.url);

const tried = attacks.filter(({ name, disk }) => /^H[245]/.test(name) && (disk === undefined || missing === ""));
for (const attack of tried)
  measuringTest(`${attack.name}: another application is served, and the attack stays within its bounds`, async () => {
    const disk = attack.disk && smallDisk(attack.disk.mebibytes);
    const server = await startServer({
      ...(disk && { dataDir: disk.directory }),
      env: { FAULTLINE_RATE_LIMIT_KEY: "", FAULTLINE_RATE_LIMIT_PROJECT: "", ...attack.env },
    });
    try {
      const { url, grpcAddress, dataDir } = server;
      const client = grpcClient(server);
      const [victim, project] = [await createProject(server), await createProject(server)];
      const { token } = await newMember(client, project.id, Role.MAINTAINER);
      client.close();
      const statuses: number[] = [];
      const report = async () => {
        statuses.push((await sendStore(server, victim, { event_id: newEventId(), message: "plain" })).status);
      };
      await report();
      const before = directoryMiB(dataDir);

      const strike = await attack.arm({ url, grpcAddress, dataDir, victim, project, token, seconds: 1 });
      const struck = strike();
      const isOver = struck.then(() => true);
      while (!(await Promise.race([isOver, delay(20)]))) await report();
      await report();

      assert.equal(new Set(statuses), new Set([200]));
      assert.equal((await struck).faults, []);
      bound(`memory of the service under ${attack.name}`, memoryOf(server.pid).peak(), { atMost: bounds.residentMiB });
      const { quotaMebibytes = Infinity } = attack.disk ?? {};
      assert.ok(directoryMiB(dataDir) - before <= quotaMebibytes + logMiB);
    } finally {
      await server.stop();
    }
  });

test.run();
