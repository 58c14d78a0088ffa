import io.sentry.Sentry;
import io.sentry.protocol.User;

/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
public class GetStarted {
  public static void main(String[] arguments) {
    // snippet: start
    Sentry.init(options -> {
      options.setDsn(System.getenv("FAULTLINE_TEST_DSN"));
      options.setDebug(true);
    });
    // snippet: identify
    User user = new User();
    user.setId("42");
    Sentry.setUser(user);
    // snippet: test
    Sentry.captureException(new Exception("Test from Faultline"));
    // snippet: end
    Sentry.close();
  }
}
