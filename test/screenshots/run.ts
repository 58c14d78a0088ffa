/**
 * Takes the screenshots of the README: `npm run screenshots`. It starts Faultline, reports the errors of a small shop,
 * and photographs the list in the light theme and an error in the dark theme, at 1280x800. The pictures use the
 * machine's font: install Inter (Debian: fonts-inter) for the pictures in docs/screenshots.
 */
import { join } from "node:path";
import { Role } from "@faultline/proto";
import { openBrowser } from "../support/console/browser.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { personPassword } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { repositoryRoot, startServer } from "../support/service/server.ts";
import { shopErrors, type ShopError } from "./shop-errors.ts";

const folder = join(repositoryRoot, "docs/screenshots");
const dayMs = 24 * 3_600_000;

const server = await startServer();
const client = grpcClient(server);
const browser = await openBrowser(server);
try {
  const project = await createProject(server, { name: "Web shop", path: "acme/web" });
  for (const error of shopErrors)
    for (let n = error.events - 1; n >= 0; n--) {
      const { status, text } = await sendEvent(server, project, eventOf(error, n));
      if (status !== 200) throw new Error(`the event was refused with ${status}: ${text}`);
    }
  const developer = { username: "ann", name: "Ann", password: personPassword };
  const { user } = await client.users.createUser(developer, client.auth);
  const member = { projectId: project.id, userId: user?.userId ?? 0, role: Role.DEVELOPER };
  await client.members.addMember(member, client.auth);
  const { sessionToken } = await client.accounts.signIn(developer);
  await browser.signIn(sessionToken);
  const { page } = browser;
  const photograph = async (name: string, colorScheme: "light" | "dark") => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  };
  await page.goto(`/${project.path}/-/error_tracking`);
  await page.getByText("Live", { exact: true }).waitFor();
  await photograph("errors", "light");
  await page.getByRole("link", { name: "Cannot read properties" }).click();
  await page.getByRole("heading", { level: 1, name: "TypeError" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await photograph("details", "dark");
} finally {
  await browser.close();
  client.close();
  await server.stop();
}

/** Event n of an error, where 0 is the newest: they lie the denser, the newer they are. */
function eventOf(error: ShopError, n: number) {
  const { type, value, level, transaction, events, users, lastMinutesAgo, source } = error;
  const minutesAgo = lastMinutesAgo * 60_000 + dayMs * (n / events) ** 2 * 0.95;
  const user = (n * 7) % Math.max(users, 1);
  return {
    event_id: newEventId(),
    timestamp: (Date.now() - minutesAgo) / 1000,
    platform: "node",
    level,
    transaction,
    release: `shop@1.${n > events / 2 ? 4 : 5}.0`,
    environment: "production",
    tags: { region: ["eu-west", "us-east"][n % 2], plan: ["free", "gold", "team"][n % 3], browser: "Chrome 131" },
    ...(users > 0 && { user: { id: String(4000 + user), email: `ann.${user}@example.com` } }),
    exception: {
      values: [{ type, value, stacktrace: { frames: [...callersOf(), frameOf(source)] } }],
    },
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
  };
}

function callersOf() {
  return [
    {
      filename: "node_modules/fastify/lib/handle-request.js",
      function: "preHandlerCallback",
      lineno: 157,
      in_app: false,
    },
    { filename: "src/server/route.ts", function: "handle", lineno: 41, colno: 18, in_app: true },
  ];
}

function frameOf({ file, function: name, line, lines }: ShopError["source"]) {
  return {
    filename: file,
    function: name,
    lineno: line,
    colno: 25,
    in_app: true,
    pre_context: lines.slice(0, 3),
    context_line: lines[3],
    post_context: lines.slice(4),
  };
}
