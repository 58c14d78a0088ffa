import { SavedSearchSchema, type SavedSearch } from "@faultline/proto";
import { Option, type Command } from "commander";
import { sortOf, sortWords, statusOf, statusWords } from "./errors/choices.ts";
import { printMessage, wholeNumber } from "./output.ts";
import { onProject } from "./service.ts";

/** `faultline searches ...` */
export function savedSearchCommands(program: Command): void {
  const searches = program.command("searches").description("saved searches: your own and a project's");

  searches
    .command("list <project>")
    .description("list your own searches, then the project's")
    .action(
      onProject(async (service, { projectId }) => {
        const { savedSearches } = await service.savedSearches.listSavedSearches({ projectId }, service.call);
        for (const search of savedSearches) print(search);
      }),
    );

  searches
    .command("save <project> <name>")
    .description("save a search")
    .option("--query <search>", "words and key:value, as in the console", "")
    .addOption(new Option("--status <status>").choices(statusWords).default("unresolved"))
    .addOption(new Option("--sort <sort>").choices(sortWords).default("last_seen"))
    .option("--shared", "for everyone in the project", false)
    .action(
      onProject(async (service, { projectId }, name: string, { query, status, sort, shared }: SaveOptions) => {
        const search = { name, query, status: statusOf(status), sort: sortOf(sort), shared };
        const { savedSearch } = await service.savedSearches.createSavedSearch({ projectId, ...search }, service.call);
        print(savedSearch);
      }),
    );

  searches
    .command("delete <project> <search>")
    .description("delete a saved search, named by its id")
    .action(
      onProject(async (service, { projectId }, id: string) => {
        const named = { projectId, savedSearchId: wholeNumber(id) };
        print((await service.savedSearches.deleteSavedSearch(named, service.call)).savedSearch);
      }),
    );
}

function print(search: SavedSearch | undefined): void {
  if (search) printMessage(SavedSearchSchema, search);
}

interface SaveOptions {
  readonly query: string;
  /** Of `statusWords`. */
  readonly status: string;
  /** Of `sortWords`. */
  readonly sort: string;
  readonly shared: boolean;
}
