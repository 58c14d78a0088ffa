/** Throws in code of TypeScript, React and Svelte; test/sdk/builds/features.ts asserts the frames. open.ts sets the DSN. */
import * as Sentry from "@sentry/browser";
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { mount } from "svelte";
import Basket from "./Basket.svelte";
import { billOf, totalOf } from "./checkout.ts";
import { doors } from "./doors.js";
import { Till } from "./Till.tsx";

Sentry.init({ dsn: window.dsn });
console.log(billOf([{ name: "tea", price: totalOf([]) }]));

const root = document.getElementById("root");
const [till, basket] = [
  root.appendChild(document.createElement("div")),
  root.appendChild(document.createElement("div")),
];
flushSync(() => createRoot(till).render(createElement(Till, { open: false })));
mount(Basket, { target: basket, props: { items: [] } });

const cases = {
  typescript: () => setTimeout(() => billOf([{ name: "voucher", price: -5 }])),
  react: () => document.getElementById("pay").click(),
  svelte: () => document.getElementById("remove").click(),
};
for (const [name, act] of [...Object.entries(cases), ...doors]) {
  Sentry.setTag("case", name);
  const thrown = new Promise((resolve) => addEventListener("error", resolve, { once: true }));
  act();
  await thrown;
  await new Promise((resolve) => setTimeout(resolve)); // the SDK ignores what else is thrown in the same task
}
await Sentry.flush(10_000);
window.isDone = true;
