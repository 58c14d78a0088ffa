/** The name of an actor in words: a person's user name, or a plugin. */
export const actorName = (actor: string): string => actor.replace(/^plugin:/, "the plugin ");
