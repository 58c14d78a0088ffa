package bakery

import io.sentry.ScopeType
import io.sentry.Sentry
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.yield

/** Fails in coroutines; test/sdk/kotlin/language.ts asserts which are one error. The argument is the number of the run. */
fun main(arguments: Array<String>) {
  Sentry.init { options ->
    options.dsn = System.getenv("FAULTLINE_TEST_DSN")
    options.release = "shop@1.2.3"
  }
  val run = arguments[0]
  runBlocking {
    tagCase("uncaught")
    // Coroutines add an exception that names the coroutine, with the identity of an object, which differs each time.
    CoroutineScope(Dispatchers.Default).launch { bake("bread $run") }.join()
    tagCase("awaited")
    try {
      // Coroutines throw a copy, whose stack goes on where it is awaited, and whose cause is the original.
      supervisorScope { async { bake("cake $run") }.await() }
    } catch (error: NoFlour) {
      Sentry.captureException(error)
    }
  }
  Sentry.flush(20_000)
}

class NoFlour(what: String) : RuntimeException(what)

suspend fun bake(what: String) {
  yield() // always suspends; a short delay may be over before, and then the stack has the callers too
  throw NoFlour("no flour for $what")
}

/** In each thread, as coroutines change theirs. */
fun tagCase(name: String) = Sentry.configureScope(ScopeType.GLOBAL) { it.setTag("case", name) }
