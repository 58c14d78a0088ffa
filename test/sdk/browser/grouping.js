/** Fails in the script of five pages and in handlers without names; test/sdk/browser/language.ts asserts which are one error. */
import * as Sentry from "@sentry/browser";

Sentry.init({ dsn: window.dsn, release: "shop@1.2.3" });

const pages = ["/", "/baskets/17", "/baskets/18?from=mail", "/shelves/bread", "/shelves/cheese/"];

/** Adds a button and presses it. */
function press(listen) {
  const button = document.body.appendChild(document.createElement("button"));
  listen(button);
  button.click();
}

/** What comes from `act`, which the SDK must see before the next: it ignores what else is thrown in the same task. */
async function thrown(act) {
  const seen = new Promise((resolve) => addEventListener("error", resolve, { once: true }));
  act();
  await seen;
  await new Promise((resolve) => setTimeout(resolve));
}

Sentry.setTag("case", "inline");
await thrown(() => dispatchEvent(new Event("basket")));

const next = pages[pages.indexOf(location.pathname + location.search) + 1];
if (next === undefined) {
  Sentry.setTag("case", "handlers");
  const handlers = [
    (button) =>
      button.addEventListener("click", () => {
        throw new Error("the basket is locked");
      }),
    (button) =>
      button.addEventListener("click", () => {
        throw new Error("the voucher was used");
      }),
    (button) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- engines name its function after the property
      button.onclick = () => {
        throw new Error("the shop is closed");
      };
    },
  ];
  for (const listen of [...handlers, ...handlers]) await thrown(() => press(listen));
}
await Sentry.flush(10_000);
if (next === undefined) window.isDone = true;
else location.assign(next);
