/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
import { Button } from "react-native";
// snippet: start
import * as Sentry from "@sentry/react-native";

Sentry.init({
  dsn: window.dsn,
  debug: true,
});

export default Sentry.wrap(App);
// snippet: identify
Sentry.setUser({ id: "42" });
// snippet: end

function App() {
  return (
    // snippet: test
    <Button
      title="Test"
      onPress={() => {
        throw new Error("Test from Faultline");
      }}
    />
    // snippet: end
  );
}
