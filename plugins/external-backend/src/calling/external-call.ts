import { timestamp, type BackendCall, type ExternalLink } from "@faultline/plugin";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { readProjects, type ReadingContext } from "../reading/index.ts";
import { missingKeys } from "../reading/fields.ts";
import type { Question, Reply, Upstream } from "./upstream.ts";

/** Time for a whole call that a person waits for, over all its requests. */
const readMs = 10_000;

/** Time for a whole change of statuses: up to 1,000 take some twenty requests. */
export const changeMs = 30_000;

/** One caller's call to the external system of a project. */
export class Asking implements ReadingContext {
  readonly projectId: number;
  readonly link: ExternalLink;
  readonly now: number;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  #staleSince: number | undefined;

  constructor(parts: {
    projectId: number;
    call: BackendCall;
    now: number;
    upstreamOf: (link: ExternalLink) => Upstream;
    timeMs?: number;
  }) {
    const { projectId, call, now, upstreamOf, timeMs = readMs } = parts;
    if (!call.link) throw new Error("a project with the external backend has a link");
    const time = AbortSignal.timeout(timeMs);
    this.projectId = projectId;
    this.link = call.link;
    this.now = now;
    this.upstream = upstreamOf(call.link);
    this.signal = call.signal ? AbortSignal.any([call.signal, time]) : time;
  }

  async ask(question: Question): Promise<Reply> {
    const reply = await this.upstream.ask(this, question);
    const { staleSince = Infinity } = reply;
    if (staleSince < (this.#staleSince ?? Infinity)) this.#staleSince = staleSince;
    return reply;
  }

  /** Added to the reply when a part of it is stale: the time of the oldest part. */
  get stale(): { staleSinceTime?: Timestamp } {
    return this.#staleSince === undefined ? {} : { staleSinceTime: timestamp(this.#staleSince) };
  }

  get projectPath(): readonly string[] {
    const { organizationSlug, slug } = this.link.project;
    return ["projects", organizationSlug, slug];
  }

  /** The external id of the linked project. Where the settings lack it, the external system is asked for it, once. */
  async externalProjectId(): Promise<string> {
    const known = this.link.project.id || this.upstream.externalProjectId;
    if (known !== undefined) return known;
    const { json } = await this.ask({ path: this.projectPath });
    const [project] = readProjects([json]);
    if (!project?.id) throw missingKeys("id");
    return (this.upstream.externalProjectId = project.id);
  }
}
