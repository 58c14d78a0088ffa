import {
  count,
  each,
  isoTime,
  list,
  orNull,
  part,
  partOrNull,
  positive,
  present,
  shape,
  text,
  time,
} from "@faultline/plugin/rest";
import type { Commit, Deploy, ListSuspectCommitsResponse, ReleaseRecord, SuspectCommit } from "@faultline/proto";

export const deploy = shape<Deploy>("Deploy", "That a release was brought to an environment.", {
  id: [positive("The deploy."), ({ deployId }) => deployId],
  version: [text("The release."), ({ version }) => version],
  environment: [text("The environment."), ({ environment }) => environment],
  name: [orNull(text("Its name; null: none.")), ({ name }) => name || null],
  url: [orNull(text("Where people read about it; null: no link.")), ({ url }) => url || null],
  started_at: [orNull(time("When it began; null: not known.")), ({ startedTime }) => isoTime(startedTime)],
  finished_at: [time("When it was finished."), ({ finishedTime }) => isoTime(finishedTime)],
});

export const releaseRecord = shape<ReleaseRecord>("ReleaseRecord", "A release as a build recorded it.", {
  version: [text("Its name as SDKs send it."), ({ version }) => version],
  url: [orNull(text("Where people read about it; null: no link.")), ({ url }) => url || null],
  ref: [orNull(text("What it was built of, such as a branch; null: not known.")), ({ ref }) => ref || null],
  created_at: [time("When it was recorded."), ({ createdTime }) => isoTime(createdTime)],
  started_at: [orNull(time("When its build began; null: not known.")), ({ startedTime }) => isoTime(startedTime)],
  released_at: [orNull(time("When it was finished; null: it is not.")), ({ releasedTime }) => isoTime(releasedTime)],
  commit_count: [count("Its commits that are kept."), ({ commitCount }) => commitCount],
  last_deploy: partOrNull(deploy, ({ lastDeploy }) => lastDeploy),
});

export const commit = shape<Commit>("ReleaseCommit", "A commit of a release.", {
  id: [text("As the version control names it."), ({ commitId }) => commitId],
  repository: [orNull(text("The repository; null: not known.")), ({ repository }) => repository || null],
  message: [orNull(text("Its message, at most 1,000 characters; null: not known.")), ({ message }) => message || null],
  author_name: [orNull(text("Null: not known.")), ({ authorName }) => authorName || null],
  author_email: [orNull(text("Null: not known.")), ({ authorEmail }) => authorEmail || null],
  committed_at: [orNull(time("When it was made; null: not known.")), ({ committedTime }) => isoTime(committedTime)],
  paths: [list(text("A changed file."), { description: "At most 200 are kept." }), ({ paths }) => paths],
  path_count: [count("The changed files, those included that are not kept."), ({ pathCount }) => pathCount],
  code_url: [orNull(text("Where the repository shows it; null: no link.")), ({ codeUrl }) => codeUrl || null],
});

const suspectCommit = shape<SuspectCommit>("SuspectCommit", "A commit that changed a file of an error's stack.", {
  commit: part(commit, (suspect) => present(suspect.commit)),
  path: [text("The changed file."), ({ path }) => path],
  frame_filename: [text("The file of the call, as the event has it."), ({ frameFilename }) => frameFilename],
  frame_function: [orNull(text("Its function; null: not known.")), ({ frameFunction }) => frameFunction || null],
  frame_lineno: [orNull(positive("Its line; null: not known.")), ({ frameLineno }) => frameLineno || null],
});

export const suspects = shape<ListSuspectCommitsResponse>("SuspectCommits", "Commits that an error may come from.", {
  version: [
    orNull(text("The release whose commits were compared; null: no release of the error has commits here.")),
    ({ version }) => version || null,
  ],
  commits: each(suspectCommit, ({ suspectCommits }) => suspectCommits, { description: "The most suspect first." }),
});
