import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventChanges } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/event-changes.ts";
import { httpRequest } from "../../support/console/console-messages.ts";

const changes = suite("changes between events");

const user = { id: "1", username: "", email: "", ipAddress: "", data: {} };
const older = {
  level: "error",
  release: "shop@1.4.0",
  environment: "production",
  serverName: "",
  transaction: "/checkout",
  user,
  tags: { browser: "Safari", region: "eu" },
  request: httpRequest({ url: "https://shop.example/a" }),
  contexts: { os: { name: "macOS", version: "15" }, trace: "1" },
};

changes("equal events have none", () => assert.equal(eventChanges(older, structuredClone(older)), []));

changes("only what differs is listed, in the order of the page", () => {
  const now = {
    ...older,
    release: "shop@1.4.1",
    serverName: "web-2",
    user: { ...user, id: "2" },
    tags: { browser: "Chrome", region: "eu", plan: "pro" },
    request: httpRequest({ url: "https://shop.example/b" }),
    contexts: { os: { name: "macOS", version: "16" } },
  };
  assert.equal(
    eventChanges(older, now).map(({ name, before, now: value }) => [name, before, value]),
    [
      ["Release", "shop@1.4.0", "shop@1.4.1"],
      ["Server", undefined, "web-2"],
      ["User ID", "1", "2"],
      ["Tag browser", "Safari", "Chrome"],
      ["Tag plan", undefined, "pro"],
      ["Request URL", "https://shop.example/a", "https://shop.example/b"],
      ["Context os: version", "15", "16"],
      ["Context trace", "1", undefined],
    ],
  );
});

changes("a part that the newer event lacks is listed, too", () => {
  const { user: _, request: __, ...bare } = older;
  assert.equal(
    eventChanges(older, bare).map(({ name, now }) => [name, now]),
    [
      ["User ID", undefined],
      ["Request method", undefined],
      ["Request URL", undefined],
    ],
  );
});

changes.run();
