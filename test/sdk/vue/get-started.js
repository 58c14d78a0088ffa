/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
import { h } from "vue";

const App = { render: () => h(Broken) };
// snippet: start
import * as Sentry from "@sentry/vue";
import { createApp } from "vue";

const app = createApp(App);

Sentry.init({
  app,
  dsn: window.dsn,
  debug: true,
});
// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: test
const Broken = {
  mounted() {
    throw new Error("Test from Faultline");
  },
};
// snippet: end
Broken.render = () => "broken";
app.mount("#root");
setTimeout(() => void Sentry.flush(10_000).then(() => (window.isDone = true)), 500);
