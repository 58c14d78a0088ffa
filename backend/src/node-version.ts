import { StartRefusal } from "@faultline/plugin";

const oldest = 26;

/** Refuses a Node that lacks features the service needs. */
export function checkNodeVersion(): void {
  const [major] = process.versions.node.split(".");
  if (Number(major) < oldest) {
    throw new StartRefusal(
      `Node ${oldest} or newer is wanted and this is ${process.version}: start Faultline with \`npm start\`, which brings its own.`,
    );
  }
}
