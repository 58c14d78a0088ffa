import addTab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

/**
 * Adds `faultline completion <shell>`, which prints the script of a shell, and the hidden command `complete`, which the
 * script calls. It knows the current commands of the program. `commands` are all commands except groups.
 */
export function addCompletion(program: Command, commands: readonly Command[]): void {
  const texts = commands.map((command) => [command, command.description()] as const);
  for (const [command, text] of texts) command.description(command.summary() || text); // shells show one line
  addTab(program, { completionCommandName: "completion" });
  for (const [command, text] of texts) command.description(text);
  const completion = program.commands.find((command) => command.name() === "completion");
  completion
    ?.description("Print the script by which a shell completes commands, flags and their values")
    .hook("preAction", (_, command) => void (command.args[0] === "bash" && process.stdout.write(wordsOfBash)))
    .addHelpText(
      "after",
      `
To load it in every new shell, add a line to its start file:
  ~/.bashrc                   source <(faultline completion bash)
  ~/.zshrc, after compinit    source <(faultline completion zsh)
  ~/.config/fish/config.fish  faultline completion fish | source`,
    );
}

/** Defines a function for bash's script if it is missing: many machines lack the package bash-completion. */
const wordsOfBash = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}")
    cword=$COMP_CWORD
    cur=\${words[cword]}
    prev=\${words[cword > 0 ? cword - 1 : 0]}
}
`;
