// @ts-check
/**
 * A model of a stream of JetStream, of the servers that keep it, and of the connections to them. It keeps the contract of the engine's port
 * (src/engine/core/shared_log.ts), which a test holds against a real server, too. Time and order come from the clock that it is given.
 */
import { markOf } from "../../dist/engine/shared/message_codec.js";

/** @typedef {import("../../dist/engine/core/shared_log.js").SharedAbout} SharedAbout */
/** @typedef {import("../../dist/engine/core/shared_log.js").SharedState} SharedState */
/** @typedef {import("../../dist/engine/core/shared_log.js").Published} Published */
/** @typedef {{ id: string, topic: string, part?: string, behind?: string, body: string }} Sent the body in Base64 */
/** @typedef {Sent & { seq: number }} Stored */
/** Milliseconds, and calls that come later. @typedef {{ now: () => number, after: (ms: number, run: () => void) => void }} Clock */
/** @typedef {{ value?: unknown, bytes?: Buffer | undefined, error?: { code: string, message: string } }} Answer */
/** @typedef {{ connected?: boolean, back?: true, message?: Stored }} StreamNews */
/**
 * The fate of the next publish. `lost`: no server gets it. `silent`: it is stored, and the answer is lost. `late`: it is stored after
 * so many milliseconds.
 * @typedef {{ kind: "lost" | "silent" | "late", ms: number }} Fate
 */

/** One way from a machine to a server, or back. */
const WAY_MS = 0.3;
const AGAIN_MS = 200;
const LEADER_MS = 15_000;
/** A server forgets the ids of messages after that long. */
const DUPLICATES_MS = 600_000;
/** So few come from the leader. Fewer than over a network, so that little work reads more. */
const FEW = 2;
/** So many come from a copy at a time. */
const MANY = 8;
/** A server that answers nothing for so many questions is left for another one. */
const SILENT = 2;
const NO_ANSWER = /** @type {const} */ ({ kind: "unknown", why: "no answer came in time" });

/** The network of a machine. All its processes have the same. */
export class Place {
  connected = true;
  /** @type {Fate[]} */
  fates = [];

  constructor(server = 0) {
    this.server = server;
  }
}

/** The connection of a process. */
class Link {
  /** The last message that it published. */
  accepted = 0;
  /** Publishes whose answer it waits for. */
  publishing = 0;
  /** @type {number | null} */
  follows = null;
  isPumping = false;
  isClosed = false;
  /** Since when neither a publish nor a question about the stream was answered. @type {number | null} */
  unanswered = null;

  /** @param {Place} place @param {(news: StreamNews) => void} tell */
  constructor(place, tell) {
    this.place = place;
    this.tell = tell;
  }
}

export class Stream {
  /** The messages that count. @type {Stored[]} */
  messages = [];
  /** @type {SharedAbout | null} */
  about = null;
  /** @type {Map<string, { seq: number, at: number }>} */
  #ids = new Map();
  /** @type {Map<string, Buffer>} */
  #blobs = new Map();
  /** @type {Set<Link>} */
  #links = new Set();
  /** There is no leader before. */
  #ledFrom = 0;
  /** The server that the others do not reach. @type {number | null} */
  #apart = null;
  /** The last message that this server has of those that count. */
  #apartFrom = 0;
  /** Messages that never counted, which the copy of a server has in the place of others. @type {Map<number, Stored>[]} */
  #copies;
  #clock;
  #options;

  /** `expects`: what a condition on the last message is about. @param {Clock} clock @param {{ replicas?: number, timeoutMs?: number, expects?: "stream" | "subject" }} [options] */
  constructor(clock, { replicas = 1, timeoutMs = 2000, expects = "stream" } = {}) {
    this.#clock = clock;
    this.#options = { replicas, timeoutMs, expects };
    this.#copies = Array.from({ length: replicas }, () => new Map());
  }

  /** The same messages and bytes, by another clock and without a connection. @param {Clock} clock */
  copy(clock) {
    const copy = new Stream(clock, this.#options);
    copy.messages = [...this.messages];
    copy.about = this.about;
    copy.#ids = new Map(this.#ids);
    copy.#blobs = new Map(this.#blobs);
    return copy;
  }

  /** Whether a message that counts has a text. @param {string} text */
  has(text) {
    return this.messages.some(({ body }) => Buffer.from(body, "base64").includes(text));
  }

  /** @param {Place} place @param {(news: StreamNews) => void} tell @returns {Link} */
  link(place, tell) {
    const link = new Link(place, tell);
    this.#links.add(link);
    return link;
  }

  /** @param {Link} link */
  close(link) {
    link.isClosed = true;
    this.#links.delete(link);
  }

  /** The connections of a machine end. @param {Place} place */
  lose(place) {
    if (!place.connected) return;
    place.connected = false;
    for (const link of this.#linksOf(place)) link.tell({ connected: false });
  }

  /** A server answers that machine again. @param {Place} place */
  restore(place) {
    if (place.connected) return;
    place.connected = true;
    for (const link of this.#linksOf(place)) {
      link.unanswered = null;
      link.tell({ connected: true });
      link.tell({ back: true });
      // A reader that is made anew may tell one again.
      if (link.follows !== null) link.follows = Math.max(0, link.follows - 1);
      this.#pump(link);
    }
  }

  /** The servers have no leader for so long. @param {number} ms */
  leaderless(ms) {
    this.#ledFrom = Math.max(this.#ledFrom, this.#clock.now() + ms);
  }

  /** The server of that machine leads, and the others do not reach it: what it is sent now never counts. The others agree on a leader after so long. @param {Place} place @param {number} ms */
  cutOff({ server }, ms) {
    if (this.#options.replicas < 2) return this.leaderless(ms);
    this.#apart = server;
    this.#apartFrom = this.messages.length;
    this.leaderless(ms);
  }

  /** The servers reach each other again. Until a copy has caught up it has messages that never counted. */
  join() {
    this.#apart = null;
  }

  catchUp() {
    for (const copy of this.#copies) copy.clear();
  }

  /** Everything works. @param {readonly Place[]} places */
  heal(places) {
    this.join();
    this.catchUp();
    this.#ledFrom = 0;
    // Silence from before makes no client leave its server.
    for (const link of this.#links) link.unanswered = null;
    for (const place of places) {
      place.fates = [];
      this.restore(place);
    }
  }

  /** @param {Place} place */
  #linksOf(place) {
    return [...this.#links].filter((link) => link.place === place);
  }

  /** @param {Link} link @param {string} name @param {any[]} args @param {Buffer} bytes @param {(answer: Answer) => void} answer */
  ask(link, name, args, bytes, answer) {
    switch (name) {
      case "state":
        return this.#asked(link, answer, this.#options.timeoutMs, () => ({ value: this.state() }));
      case "create":
        return this.#asked(link, answer, this.#options.timeoutMs, () => {
          this.#create(args[0]);
          return { value: this.state() };
        });
      case "publish":
        return this.#publish(link, args[0], args[1], (value) => answer({ value }));
      case "read":
        return this.#asked(link, answer, LEADER_MS, () => {
          const [after, upTo, from] = args;
          const found = this.#read(link, after, upTo, from);
          return found && { value: found };
        });
      case "follow":
        link.follows = args[0];
        answer({});
        return this.#pump(link);
      case "unfollow":
        link.follows = null;
        return answer({});
      case "putBlob":
        return this.#asked(link, answer, this.#options.timeoutMs, () => {
          this.#blobs.set(args[0], Buffer.from(bytes));
          return {};
        });
      case "hasBlob":
        return this.#asked(link, answer, this.#options.timeoutMs, () => ({ value: this.#blobs.has(args[0]) }));
      case "getBlob":
        return this.#asked(link, answer, this.#options.timeoutMs, () => {
          const found = this.#blobs.get(args[0]);
          return found ? { value: "bytes", bytes: found } : { value: null };
        });
      case "close":
        this.close(link);
        return answer({});
      default:
        throw new Error(`no question ${name}`);
    }
  }

  /** @returns {SharedState | null} */
  state() {
    if (!this.about) return null;
    const last = this.messages.length;
    return { identity: "the-only-one", about: this.about, first: 1, last };
  }

  /** @param {SharedAbout} about */
  #create(about) {
    if (this.about) return;
    this.about = about;
    this.#store(
      { id: "taskfold-workspace", topic: "workspace", body: Buffer.from(JSON.stringify(about)).toString("base64") },
      0,
    );
  }

  /** Whether a server that this connection knows can answer. @param {Link} link */
  #isLed(link) {
    return this.#clock.now() >= this.#ledFrom && link.place.server !== this.#apart;
  }

  /** Asks until there is an answer, as long as the client has patience. @param {Link} link @param {(answer: Answer) => void} answer @param {number} patienceMs @param {() => Answer | undefined} find */
  #asked(link, answer, patienceMs, find) {
    const { now, after } = this.#clock;
    const began = now();
    const ask = () => {
      const wait = link.place.connected ? patienceMs : Math.min(patienceMs, this.#options.timeoutMs);
      if (link.isClosed || now() - began > wait || (!link.place.connected && patienceMs < LEADER_MS)) {
        if (link.place.server === this.#apart) this.#leaveSilent(link);
        return answer({ error: { code: "SHARED_UNAVAILABLE", message: "no server answers" } });
      }
      after(WAY_MS, () => {
        const found = link.place.connected && this.#isLed(link) ? find() : undefined;
        if (!found) return after(AGAIN_MS, ask);
        after(WAY_MS, () => {
          if (!link.place.connected) return after(AGAIN_MS, ask);
          link.unanswered = null;
          answer(found);
        });
      });
    };
    ask();
  }

  /** @param {Link} link */
  #leaveSilent(link) {
    // A client that ended takes its machine to no other server.
    if (link.isClosed) return;
    const now = this.#clock.now();
    link.unanswered ??= now;
    if (this.#options.replicas < 2 || now - link.unanswered < SILENT * this.#options.timeoutMs) return;
    const { place } = link;
    link.unanswered = null;
    this.lose(place);
    place.server = (place.server + 1) % this.#options.replicas;
    this.#clock.after(AGAIN_MS, () => this.restore(place));
  }

  /** @param {Link} link @param {Sent} message @param {number} expected @param {(published: Published) => void} answer */
  #publish(link, message, expected, answer) {
    const { after } = this.#clock;
    const { place } = link;
    if (!place.connected) return answer({ kind: "absent", why: "the connection is lost" });
    const fate = place.fates.shift();
    link.publishing++;
    let isOver = false;
    const done = (/** @type {Published} */ published) => {
      if (isOver) return;
      isOver = true;
      link.publishing--;
      if (published.kind === "accepted" && published.seq > expected)
        link.accepted = Math.max(link.accepted, published.seq);
      if (published.kind === "unknown") this.#leaveSilent(link);
      answer(published);
      this.#pump(link);
    };
    after(this.#options.timeoutMs, () => done(NO_ANSWER));
    if (fate?.kind === "lost") return;
    after(WAY_MS + (fate?.kind === "late" ? fate.ms : 0), () => {
      // A message that is under way when its connection ends reaches no server.
      if (!place.connected) return;
      if (place.server === this.#apart) return this.#keepApart(place.server, message);
      if (!this.#isLed(link)) {
        after(WAY_MS, () => done({ kind: "absent", why: "no server has the stream at this moment" }));
        return;
      }
      const published = this.#store(message, expected);
      if (fate?.kind === "silent") return;
      after(WAY_MS, () => place.connected && done(published));
    });
  }

  /** @param {number} server @param {Sent} message */
  #keepApart(server, message) {
    const copy = this.#copies[server];
    if (!copy || [...copy.values()].some(({ id }) => id === message.id)) return;
    const seq = Math.max(this.#apartFrom, ...copy.keys()) + 1;
    const before = copy.get(seq - 1);
    // The worst that it can be: each one names the one before it.
    const behind = before ? markOf(opened(before)) : message.behind;
    copy.set(seq, { ...message, ...(behind === undefined ? {} : { behind }), seq });
  }

  /** @param {Sent} message @param {number} expected @returns {Published} */
  #store(message, expected) {
    const last = this.messages.length;
    const now = this.#clock.now();
    const twice = this.#ids.get(message.id);
    if (twice && now - twice.at <= DUPLICATES_MS)
      return twice.seq > expected ? { kind: "lost", last: twice.seq } : { kind: "accepted", seq: expected };
    const since = this.messages.slice(expected);
    const isFirst =
      this.#options.expects === "stream" ? last === expected : !since.some(({ topic }) => topic === message.topic);
    if (!isFirst) return { kind: "lost", last };
    const seq = last + 1;
    this.messages.push({ ...message, seq });
    this.#ids.set(message.id, { seq, at: now });
    for (const link of this.#links) this.#pump(link);
    return { kind: "accepted", seq };
  }

  /** Some of the messages behind `after`; undefined where there is none. @param {Link} link @param {number} after @param {number} upTo @param {"leader" | undefined} from */
  #read({ place }, after, upTo, from) {
    const isFromLeader = from === "leader" || upTo - after <= FEW;
    const end = isFromLeader
      ? Math.min(upTo, after + FEW)
      : Math.min(after + MANY, this.#options.replicas > 1 ? upTo - FEW : upTo);
    const found = this.messages.slice(after, end);
    if (found.length === 0) return undefined;
    const copy = this.#copies[place.server];
    return isFromLeader || !copy ? found : found.map((message) => copy.get(message.seq) ?? message);
  }

  /** Tells of the next message, and then of those behind it. @param {Link} link */
  #pump(link) {
    const { after } = this.#clock;
    if (link.isPumping || link.isClosed || link.follows === null || link.publishing > 0 || !link.place.connected)
      return;
    if (link.follows >= this.messages.length) return;
    link.isPumping = true;
    after(WAY_MS, () => {
      link.isPumping = false;
      if (link.isClosed || link.follows === null || link.publishing > 0 || !link.place.connected) return;
      if (!this.#isLed(link)) {
        link.isPumping = true;
        return after(AGAIN_MS, () => {
          link.isPumping = false;
          this.#pump(link);
        });
      }
      const message = this.messages[link.follows];
      if (!message) return;
      link.follows = message.seq;
      if (message.seq > link.accepted) link.tell({ message });
      this.#pump(link);
    });
  }
}

/** @param {Stored} stored @returns {import("../../dist/engine/core/shared_log.js").SharedMessage} */
export function opened({ seq, id, part, behind, body }) {
  return { seq, id, part, behind, body: Buffer.from(body, "base64") };
}
