import io.sentry.ScopeCallback;
import io.sentry.Sentry;
import io.sentry.SentryLevel;
import io.sentry.protocol.User;
import java.util.List;

/** Reports with io.sentry:sentry what test/sdk/features.ts asserts. */
public class Report {
  static class PaymentException extends RuntimeException {
    PaymentException(Throwable cause) {
      super("payment refused", cause);
    }
  }

  public static void main(String[] arguments) {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("FAULTLINE_TEST_DSN"));
          options.setRelease("shop@1.2.3");
          options.setEnvironment("staging");
          options.addInAppInclude("Report"); // this SDK says nothing of frames it was not told about
        });

    Sentry.startSession();
    Sentry.endSession();
    Sentry.startSession();
    inCase(
        "handled",
        scope -> scope.setTag("region", "eu-west"),
        () -> {
          try {
            charge();
          } catch (PaymentException exception) {
            Sentry.captureException(exception);
          }
        });
    for (SentryLevel level : SentryLevel.values()) {
      String name = level.name().toLowerCase();
      inCase("level-" + name, scope -> {}, () -> Sentry.captureMessage("level " + name, level));
    }
    users();
    message("fingerprint-1", "the till is empty", scope -> scope.setFingerprint(List.of("till")));
    message("fingerprint-2", "its drawer is stuck", scope -> scope.setFingerprint(List.of("till")));
    message(
        "large",
        "a large event",
        scope -> {
          for (int part = 0; part < 50; part++) scope.setExtra(String.format("part-%02d", part), "x".repeat(4000));
        });
    message("unicode", "before\0after naïve 漢字 🙂", scope -> {});

    Sentry.flush(20_000);
    Sentry.configureScope(scope -> scope.setTag("case", "unhandled"));
    throw new IllegalStateException("the till fell down"); // the handler of the SDK flushes
  }

  static void charge() {
    throw new PaymentException(new IllegalArgumentException("unknown card"));
  }

  static void users() {
    User byId = new User();
    byId.setId("4711");
    message("user-id", "user by id", scope -> scope.setUser(byId));
    User byUsername = new User();
    byUsername.setUsername("ann");
    message("user-username", "user by username", scope -> scope.setUser(byUsername));
    User byEmail = new User();
    byEmail.setEmail("ann@shop.example");
    message("user-email", "user by email", scope -> scope.setUser(byEmail));
    User byAddress = new User();
    byAddress.setIpAddress("203.0.113.7");
    message("user-ip", "user by ip", scope -> scope.setUser(byAddress));
  }

  static void message(String name, String text, ScopeCallback configure) {
    inCase(name, configure, () -> Sentry.captureMessage(text));
  }

  /** Runs a report in a scope of its own whose events are found by the tag `case`. */
  static void inCase(String name, ScopeCallback configure, Runnable report) {
    Sentry.withScope(
        scope -> {
          scope.setTag("case", name);
          configure.run(scope);
          report.run();
        });
  }
}
