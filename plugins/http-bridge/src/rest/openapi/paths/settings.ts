import { json } from "../answers.ts";
import { resource } from "../operation.ts";
import { flag, ref, text, type Schema } from "../schema.ts";

const slug = { minLength: 1, maxLength: 255, pattern: "^[A-Za-z0-9_.~-]+$" };
const word = { maxLength: 255 };

const fields: Readonly<Record<string, Schema>> = {
  active: flag("Track errors."),
  integrated: flag("Use the integrated backend; false: the external one."),
  api_url: text(
    "Scheme and host of the external system. Without a project beside it, a change unlinks the stored one; another host removes the token, too.",
    {
      ...word,
      examples: ["https://errors.example.com"],
    },
  ),
  token: text(
    "The token for the external system, with the `api_url` or the `revision` that it is for. Empty removes it; asterisks stand for the stored one.",
    { maxLength: 1024 },
  ),
  project: {
    type: "object",
    description:
      "The project of the external system to link. One that another project is linked to is refused with 409. Only in JSON.",
    properties: {
      slug: text("Its name in addresses.", slug),
      organization_slug: text("The organisation's name in addresses.", slug),
      name: text("Its name.", word),
      organization_name: text("The organisation.", word),
      id: text("Its id there; may be empty.", { maxLength: 20, pattern: "^[0-9]*$" }),
    },
    required: ["slug", "organization_slug"],
  },
  revision: {
    type: "integer",
    minimum: 0,
    maximum: 999_999_999,
    description: "The revision that was read. When it is not the present one, the change is refused with 409.",
  },
};

const notOffered =
  "Where the integrated backend is not offered, a change that names it, or turns it active, is refused with 404 and the reason in `message`.";

const saved = { 200: json("The settings as stored.", ref("Settings")) };

export const settingsPaths = resource("Settings", {
  "/projects/{project}/error_tracking/settings": {
    get: {
      id: "getSettings",
      summary: "Read the error-tracking settings",
      more: "404 where they were never saved.",
      needs: ["Maintainer", "read"],
      answers: { 200: json("The settings.", ref("Settings")) },
    },
    put: {
      id: "putSettings",
      summary: "Make or change the settings",
      more: `Turning the integrated backend on makes a first client key. ${notOffered}`,
      needs: ["Maintainer", "write"],
      body: { fields, required: ["active", "integrated"] },
      answers: saved,
      refuses: [409],
    },
    patch: {
      id: "patchSettings",
      summary: "Change the settings",
      more: `404 where they were never saved. ${notOffered}`,
      needs: ["Maintainer", "write"],
      body: { fields, required: ["active"] },
      answers: saved,
      refuses: [409],
    },
  },
});
