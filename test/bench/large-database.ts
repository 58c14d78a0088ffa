/**
 * Fills a data directory with as many events as years of use would, by bulk SQL. What the front door does not offer is
 * speed: 10,000,000 events take minutes here, and hours there. `recount` holds afterwards.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync } from "node:zlib";
import { ErrorStatus } from "@faultline/proto";
import { nodeEvent, randomFrom } from "./node-event.ts";

export interface LargeDatabase {
  /** The data directory of a stopped service without events. */
  readonly dataDir: string;
  readonly projectId: number;
  readonly events: number;
  /** At most half as many as events. Three have a tenth of the events each, half have one, the others lie between. */
  readonly errors: number;
  /** The first event was received this long before the last one; default 89. */
  readonly days?: number;
  /** When the last event was received; default now. */
  readonly until?: number;
  readonly seed?: number;
  /** Called with the progress. */
  readonly progress?: (text: string) => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const usersOfAll = 50_000;
const blockEvents = 128;
const differentBlocks = 50;

/** Everything is spread evenly over the days; the same options give the same rows. */
export function makeLargeDatabase(options: LargeDatabase): void {
  const { dataDir, events, errors, days = 89, until = Date.now(), seed = 1, progress = () => undefined } = options;
  using database = new DatabaseSync(join(dataDir, "faultline.db"));
  // Nobody else reads, and a failed database is made again. The cache holds the indexes, because their keys come in no
  // order.
  database.exec("pragma journal_mode = delete; pragma synchronous = off; pragma cache_size = -3000000");
  const [found] = database.prepare("select id from integrated_event limit 1").all();
  if (found) throw new Error(`${dataDir} has events already`);

  const random = randomFrom(seed);
  database.exec("begin");
  const errorOf = shuffled(sizesOf(errors, events), events, random);
  const first = until - days * dayMs;
  const receivedAt = (n: number) => first + Math.round(((n + 1) / events) * days * dayMs);
  insertEvents(database, { ...options, errorOf, receivedAt, random, progress });
  insertPayloads(database, events, random, progress);
  progress("hours");
  database.exec(`insert into integrated_hour (error_id, hour, event_count)
    select error_id, occurred_at / ${hourMs}, count(*) from integrated_event group by 1, 2 order by 1, 2`);
  progress("users and tags");
  insertUsersAndTags(database);
  progress("errors"); // the last: the trigger on users counts into them, and would do so user by user
  insertErrors(database, options.projectId, errors);
  database.exec(`insert into integrated_tag_error (project_id, key, value, error_id)
    select ${options.projectId}, key, value, error_id from integrated_tag order by 1, 2, 3, 4`);
  database.exec("commit");
  database.exec("pragma journal_mode = wal");
  progress("done");
}

/** Events of each error, the largest first. */
function sizesOf(errors: number, events: number): Uint32Array {
  const sizes = new Uint32Array(errors).fill(1);
  const large = Math.floor(events / 10);
  const between = Math.floor(errors / 2);
  sizes.fill(large, 0, 3);
  // The others share the rest by their rank, like the words of a language.
  let weights = 0;
  for (let n = 3; n < between; n += 1) weights += 1 / (n + 7);
  let left = events - 3 * large - (errors - 3);
  for (let n = 3; n < between; n += 1) {
    const more = Math.floor(((events - 3 * large - (errors - 3)) * (1 / (n + 7))) / weights);
    sizes[n] = 1 + more;
    left -= more;
  }
  sizes[3] = (sizes[3] ?? 0) + left;
  return sizes;
}

/** The error of each event, by rank from 0, in the order in which the events were received. */
function shuffled(sizes: Uint32Array, events: number, random: () => number): Uint32Array {
  const errorOf = new Uint32Array(events);
  let at = 0;
  sizes.forEach((size, error) => {
    errorOf.fill(error, at, at + size);
    at += size;
  });
  for (let n = events - 1; n > 0; n -= 1) {
    const other = Math.floor(random() * (n + 1));
    const moved = errorOf[n] ?? 0;
    errorOf[n] = errorOf[other] ?? 0;
    errorOf[other] = moved;
  }
  return errorOf;
}

function insertEvents(
  database: DatabaseSync,
  {
    projectId,
    events,
    errorOf,
    receivedAt,
    random,
    progress,
  }: {
    projectId: number;
    events: number;
    errorOf: Uint32Array;
    receivedAt: (n: number) => number;
    random: () => number;
    progress: (text: string) => void;
  },
): void {
  const insert = database.prepare(`insert into integrated_event (
    id, project_id, event_id, error_id, occurred_at, received_at, title, user, release, environment, level)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const eventId = Buffer.alloc(16);
  for (let n = 0; n < events; n += 1) {
    if (n % 1_000_000 === 0) progress(`events: ${n}`);
    for (let at = 0; at < 16; at += 4) eventId.writeUInt32LE(random() * 2 ** 32, at);
    const error = errorOf[n] ?? 0;
    const received = receivedAt(n);
    const occurred = received - Math.floor(random() * 10_000);
    const user = random() < 0.9 ? String(Math.floor(random() * usersOfAll)) : "";
    const release = `shop@1.${Math.floor((n / events) * 20)}.0`;
    const environment = random() < 0.8 ? "production" : "staging";
    const title = titleOf(error);
    insert.run(n + 1, projectId, eventId, error + 1, occurred, received, title, user, release, environment, "error");
  }
}

const names = ["Order", "Basket", "User", "Price", "Card", "Session", "Request", "Invoice"];

const titleOf = (error: number) => `${names[error % names.length]}${error}Error: request ${error} was refused upstream`;

/** Payloads as packing leaves them: in blocks of events that resemble each other. */
function insertPayloads(
  database: DatabaseSync,
  events: number,
  random: () => number,
  progress: (text: string) => void,
): void {
  const blocks = Array.from({ length: differentBlocks }, (_, group) => {
    const jsons = Array.from({ length: blockEvents }, () => JSON.stringify(nodeEvent({ bytes: 4_000, group, random })));
    const content = zstdCompressSync(jsons.join(""), { params: { [constants.ZSTD_c_compressionLevel]: 9 } });
    return { content, lengths: jsons.map((json) => Buffer.byteLength(json)) };
  });
  const insertBlock = database.prepare(
    "insert into integrated_block (last_row_id, first_row_id, content) values (?, ?, ?)",
  );
  const insertPayload = database.prepare(`insert into integrated_packed (event_row_id, start, length, block_row_id)
    values (?, ?, ?, ?)`);
  for (let first = 1; first <= events; first += blockEvents) {
    if (first % 1_000_000 < blockEvents) progress(`payloads: ${first}`);
    const block = blocks[Math.floor(random() * differentBlocks)];
    const last = Math.min(first + blockEvents - 1, events);
    insertBlock.run(last, first, block?.content ?? "");
    let start = 0;
    for (let id = first; id <= last; id += 1) {
      const length = block?.lengths[id - first] ?? 0;
      insertPayload.run(id, start, length, last);
      start += length;
    }
  }
}

function insertUsersAndTags(database: DatabaseSync): void {
  database.exec(`insert into integrated_user (error_id, user, last_seen_day)
    select error_id, user, max(received_at) / ${dayMs} from integrated_event where user <> '' group by 1, 2 order by 1, 2`);
  database.exec(`create temp table seen as
    select error_id, release, environment, max(received_at) / ${dayMs} as day, count(*) as n
    from integrated_event group by 1, 2, 3`);
  database.exec(`create temp table error as select error_id, max(day) as day, sum(n) as n from seen group by 1`);
  database.exec(`insert into integrated_tag (error_id, key, value, last_seen_day)
    select error_id, 'environment', environment, max(day) from seen group by 1, 3
    union all select error_id, 'release', release, max(day) from seen group by 1, 3
    union all select error_id, 'region', value, day from error, json_each('["eu-west","us-east","ap-south"]')
    union all select error_id, 'server_name', value, day from error, json_each('${JSON.stringify(servers)}') where n > 1000
    order by 1, 2, 3`);
  database.exec("drop table temp.seen; drop table temp.error");
}

const servers = Array.from({ length: 50 }, (_, n) => `web-${n}.example`);

function insertErrors(database: DatabaseSync, projectId: number, errors: number): void {
  const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
  const insert = database.prepare(`insert into integrated_error (
    id, project_id, group_hash, grouping_version, title, type, value, culprit, level, platform, status,
    event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
  select :id, :projectId, :hash, 2, :title, :type, :value, :culprit, 'error', 'node', :status,
    (select sum(event_count) from integrated_hour where error_id = :id),
    (select count(*) from integrated_user where error_id = :id),
    first.occurred_at, last.occurred_at, first.release, last.release
  from (select * from integrated_event where error_id = :id order by occurred_at, id limit 1) first,
    (select * from integrated_event where error_id = :id order by occurred_at desc, id desc limit 1) last`);
  for (let error = 0; error < errors; error += 1) {
    const [type = "", value = ""] = titleOf(error).split(": ");
    insert.run({
      id: error + 1,
      projectId,
      hash: Buffer.from((error + 1).toString(16).padStart(32, "0"), "hex"),
      title: titleOf(error),
      type,
      value,
      culprit: `POST /orders/:id/pay${error}`,
      status: error % 20 === 7 ? IGNORED : error % 20 < 3 ? RESOLVED : UNRESOLVED,
    });
  }
}
