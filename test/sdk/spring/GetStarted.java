package shop;

import io.sentry.Sentry;
import io.sentry.protocol.User;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal. */
@SpringBootApplication
public class GetStarted implements WebMvcConfigurer {
  public static void main(String[] arguments) throws Exception {
    try (var application = SpringApplication.run(GetStarted.class)) {
      String port = application.getEnvironment().getProperty("local.server.port");
      URI page = URI.create("http://127.0.0.1:" + port + "/faultline-test");
      HttpClient.newHttpClient().send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());
      Sentry.flush(10_000);
    }
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    registry.addInterceptor(new Identification());
  }
}

class Identification implements HandlerInterceptor {
  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
    // snippet: identify
    // in a filter or a HandlerInterceptor
    User user = new User();
    user.setId("42");
    Sentry.setUser(user);
    // snippet: end
    return true;
  }
}

// snippet: test
@RestController
class FaultlineTest {
  @GetMapping("/faultline-test")
  void trigger() {
    throw new IllegalStateException("Test from Faultline");
  }
}
// snippet: end
