import { dirname, join } from "node:path";

/** The folder of the installation, which holds `backend`, `console` and `plugins`; no slash at its end. */
export const installation = join(dirname(import.meta.dirname), "..");
