import io.sentry.Sentry;
import io.sentry.UserFeedback;
import io.sentry.protocol.SentryId;

/** Sends with io.sentry:sentry what test/sdk/feedback-features.ts asserts, in the form of all its versions. */
public class Feedback {
  public static void main(String[] arguments) {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("FAULTLINE_TEST_DSN"));
          options.setRelease("shop@1.2.3");
          options.setEnvironment("staging");
        });
    // This form names an event; here it is one that is never sent.
    report(new SentryId(), "Ann", "ann@shop.example", "The till is empty.");
    report(Sentry.captureException(new IllegalStateException("the till fell down")), "Bo", "bo@shop.example", "It fell.");
    Sentry.flush(20_000);
  }

  static void report(SentryId event, String name, String email, String comments) {
    Sentry.captureUserFeedback(new UserFeedback(event, name, email, comments));
  }
}
