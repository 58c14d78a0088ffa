import { redirect } from "@sveltejs/kit";
import { oneOf, preferenceCookies, preferenceMaxAge, themes, timeZones } from "#lib/preferences/preferences.ts";
import { route } from "#lib/navigation/route.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = ({ url }) => ({ saved: url.searchParams.has("saved") });

export const actions: Actions = {
  default: async ({ request, cookies, url }) => {
    const form = await request.formData();
    const options = { path: "/", maxAge: preferenceMaxAge, sameSite: "lax", httpOnly: false } as const;
    const keep = (name: keyof typeof preferenceCookies, value: string) =>
      cookies.set(preferenceCookies[name], value, { ...options, secure: url.protocol === "https:" });
    keep("theme", oneOf(themes, form.get("theme")));
    keep("times", oneOf(timeZones, form.get("times")));
    keep("shortcuts", form.has("shortcuts") ? "on" : "off");
    redirect(303, `${route.preferences()}?saved`);
  },
};
