/** The server of the viewer: who may ask, what is answered, and what a hostile folder comes to. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Viewer } from "../../src/engine/open_viewer.ts";
import type {
  ChangeEvent,
  EntityAnswer,
  ErrorAnswer,
  EvidenceAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import { openWorkspace } from "../support/open.ts";
import { isLoopback } from "../../src/hosts/view/access.ts";
import { passTime } from "../support/clock.ts";
import { ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { PROGRAM, run } from "./cli_support.ts";
import { answer, builtPages, get, INDEX, listen, serving } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

async function filled(): Promise<string> {
  const ws = openTemp({ by: "agent:ada", now: Date.now });
  await ok(ws, "tasks_create", { title: "Version 2" });
  const steps = [{ title: "Write", success_criteria: ["it parses"], tests: ["npm test"] }];
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", steps });
  return ws.root;
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describe("who may ask", () => {
  it("[VIEWER-21] [regression VIEWER-61] the token gives a cookie, the cookie gives answers, and nothing else does", async () => {
    const server = await serving(await filled());
    const none = { authorization: "" };
    const entry = await get(server, `/?token=${server.token}`, { headers: none });
    const cookie = String(entry.headers["set-cookie"]);
    expect(entry.status).toBe(200);
    expect(entry.headers["cache-control"]).toBe("no-store");
    expect(cookie).toMatch(/^taskfold_view_\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).not.toContain(server.token);
    // The page itself: what stands behind # is not lost on the way.
    expect(entry.body).toBe(INDEX);
    const stranger = await get(server, "/", { headers: { ...none, accept: "text/html,*/*" } });
    expect([stranger.status, stranger.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
    expect(stranger.body).toContain("<code>taskfold view</code>");
    expect(stranger.body).not.toContain(server.token);
    // A browser sends no cookie with a link on another site, and sends it with this one.
    expect(stranger.body).toContain('<a href="/">');
    const session = cookie.split(";")[0]!;
    const asked = (headers: Record<string, string>, path = "/api/v1/workspace.json") =>
      get(server, path, { headers: { ...none, ...headers } }).then(({ status }) => status);
    expect(await asked({ cookie: `other=1; ${session}` })).toBe(200);
    expect(await asked({ authorization: `Bearer ${server.token}` })).toBe(200);
    expect(await asked({})).toBe(401);
    expect(await asked({ cookie: `${session}x` })).toBe(401);
    expect(await asked({ authorization: "Bearer x" })).toBe(401);
    expect(await asked({ cookie: `taskfold_view_${server.port}=${server.token}` })).toBe(401);
    for (const path of ["/", "/?token=x", "/app.js", "/api/v1/events", "/api/v1/workspace.json?token=" + server.token])
      expect(await asked({}, path), path).toBe(401);
  });

  it("[VIEWER-22] a name that leads here, and pages of other sites, are refused", async () => {
    const server = await serving(await filled());
    const asked = (headers: Record<string, string>) =>
      get(server, "/api/v1/workspace.json", { headers }).then(({ status }) => status);
    const { port } = server;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, "192.168.1.7"])
      expect(await asked({ host }), host).toBe(200);
    for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example", "localhost.evil.example", "a b"])
      expect(await asked({ host }), host).not.toBe(200);
    expect(await asked({ host: `evil.example:${port}` })).toBe(421);
    expect(await asked({ origin: `http://127.0.0.1:${port}` })).toBe(200);
    for (const origin of ["http://evil.example", "null", `http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`])
      expect(await asked({ origin }), origin).toBe(403);
    expect(await asked({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
    expect(await asked({ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" })).toBe(403);
    expect(await asked({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" })).toBe(200);
  });

  it("[VIEWER-22] the name given with --host is one of the server's own", async () => {
    const server = await serving(await filled(), { host: "localhost" });
    const asked = (host: string) => get(server, "/", { headers: { host } }).catch(() => ({ status: 0 }));
    expect((await asked("localhost:1")).status).not.toBe(421);
    expect((await asked("other:1")).status).not.toBe(200);
  });

  it("[VIEWER-22] only GET and HEAD are answered", async () => {
    const server = await serving(await filled());
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const { status, headers } = await get(server, "/api/v1/workspace.json", { method });
      expect([status, headers.allow], method).toEqual([405, "GET, HEAD"]);
    }
    const head = await get(server, "/api/v1/workspace.json", { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
  });

  it.runIf(process.platform === "linux")(
    "[VIEWER-146] the cookie is of the host alone: with an address of its own no server of another port gets it",
    async () => {
      const { address, port, token } = await serving(await filled(), { host: "127.0.0.2" });
      expect(address).toBe(`http://127.0.0.2:${port}/?token=${token}`);
      const got = await fetch(address);
      expect([got.status, got.headers.get("set-cookie")]).toEqual([200, expect.stringMatching(/; Path=\/$/) as string]);
      expect(got.headers.get("set-cookie")).not.toMatch(/domain/i);
      await expect(fetch(address.replace("127.0.0.2", "127.0.0.1"))).rejects.toThrow("fetch failed");
    },
  );

  it("[VIEWER-22] other machines do not reach it unless the caller says so", () => {
    for (const host of ["127.0.0.1", "127.3.2.1", "localhost", "::1", "[::1]"])
      expect(isLoopback(host), host).toBe(true);
    for (const host of ["0.0.0.0", "::", "192.168.1.7", "127.evil.example", "example"])
      expect(isLoopback(host), host).toBe(false);
  });
});

describe("what is answered", () => {
  it("[VIEWER-24] every response has its policies", async () => {
    const server = await serving(await filled());
    const paths = ["/", "/app.js", "/api/v1/workspace.json", "/nowhere", `/?token=${server.token}`, "/raw/v1/x/y"];
    for (const path of paths) {
      const { headers } = await get(server, path);
      expect(headers["content-security-policy"], path).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"], path).not.toMatch(/unsafe|\*/);
      expect(headers["x-content-type-options"], path).toBe("nosniff");
      expect(headers["referrer-policy"], path).toBe("no-referrer");
      expect(headers["access-control-allow-origin"], path).toBeUndefined();
    }
  });

  it("[VIEWER-27] a caller that has an answer gets no second one until a log changes", async () => {
    const root = await filled();
    const server = await serving(root);
    for (const name of [
      "entities/TASK-001.json",
      "entities/TASK-001/history/0.json",
      "entities/TASK-001/revisions/1.json",
    ]) {
      const { headers, status } = await get(server, `/api/v1/${name}`);
      expect(status).toBe(200);
      const again = { "if-none-match": headers.etag! };
      expect(await get(server, `/api/v1/${name}`, { headers: again })).toMatchObject({ status: 304, body: "" });
    }
    const before = await get(server, "/api/v1/entities/TASK-001.json");
    const other = openWorkspace({ root, workspace: WORKSPACE });
    await other.call("tasks_note", { task: "TASK-001", note: "new" });
    await other.close();
    passTime(300);
    const headers = { "if-none-match": before.headers.etag! };
    const after = await get(server, "/api/v1/entities/TASK-001.json", { headers });
    expect(after.status).toBe(200);
    expect(JSON.parse(after.body)).toMatchObject({ notes_total: 1 });
  });

  it("[VIEWER-7] a revision gets another ETag once a task that it names has another title", async () => {
    const root = await filled();
    const other = openWorkspace({ root, workspace: WORKSPACE });
    await other.call("tasks_create", { parent: "PLAN-001", title: "Its docs", depends_on: ["TASK-001"] });
    const server = await serving(root);
    const path = "/api/v1/entities/TASK-002/revisions/1.json";
    const before = await get(server, path);
    expect(before.body).toContain("A parser");
    await other.call("tasks_edit", { task: "TASK-001", title: "A renamed parser" });
    await other.close();
    passTime(300);
    const after = await get(server, path, { headers: { "if-none-match": before.headers.etag! } });
    expect(after.status).toBe(200);
    expect(after.body).toContain("A renamed parser");
  });

  it("[regression PAGE-24] a request for a revision that the browser ended before its turn costs no reading of the log", async () => {
    const server = await serving(await filled());
    const made: string[] = [];
    let begin = (): void => undefined;
    const held = new Promise<void>((done) => (begin = done));
    let waiting = 0;
    const answer = Object.getOwnPropertyDescriptor(Viewer.prototype, "answer")!.value as Viewer["answer"];
    vi.spyOn(Viewer.prototype, "answer").mockImplementation(async function (this: Viewer, name, note) {
      const answered = await answer.call(this, name, note);
      waiting++;
      const body = async (): Promise<string> => {
        made.push(name);
        await held;
        return answered.body();
      };
      return { ...answered, body };
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const headers = { authorization: `Bearer ${server.token}` };
    const ask = (path: string) => {
      const asked = request({ host: "127.0.0.1", port: server.port, path, headers, agent: false });
      asked.on("error", () => undefined).end();
      return asked;
    };
    const first = get(server, "/api/v1/entities/TASK-001/revisions/1.json");
    await expect.poll(() => made).toEqual(["entities/TASK-001/revisions/1.json"]);
    const left = [2, 2, 2].map((n) => ask(`/api/v1/entities/TASK-001/revisions/${n}.json`));
    await expect.poll(() => waiting).toBe(4);
    for (const one of left) one.destroy();
    await new Promise((done) => setTimeout(done, 100));
    begin();
    expect((await first).status).toBe(200);
    expect((await get(server, "/api/v1/entities/TASK-001/differences/1-1.json")).status).toBe(200);
    expect(made).toEqual(["entities/TASK-001/revisions/1.json", "entities/TASK-001/differences/1-1.json"]);
  });

  it("[VIEWER-27] each answer says as of which stamp it is, also one that the caller has already", async () => {
    const root = await filled();
    const server = await serving(root);
    const { events } = listen(server);
    await expect.poll(() => events.length, { timeout: 10_000 }).toBe(1);
    const { stamp } = events[0]!.data as { stamp: string };
    expect(stamp).not.toBe("");
    for (const name of ["board/0.json", "entities/TASK-001.json", "entities/TASK-001/history/0.json", "agents.json"]) {
      const { headers } = await get(server, `/api/v1/${name}`);
      expect(headers["taskfold-stamp"]).toBe(stamp);
      const again = await get(server, `/api/v1/${name}`, { headers: { "if-none-match": headers.etag! } });
      expect([again.status, again.headers["taskfold-stamp"]]).toEqual([304, stamp]);
    }
    const other = openWorkspace({ root, workspace: WORKSPACE });
    await other.call("tasks_note", { task: "TASK-001", note: "new" });
    await other.close();
    passTime(300);
    const { headers } = await get(server, "/api/v1/entities/TASK-001.json");
    expect(headers["taskfold-stamp"]).not.toBe(stamp);
  });

  it("[VIEWER-28] a change by another process is told with its rows", ROTATING, async () => {
    const root = await filled();
    const server = await serving(root);
    const { events } = listen(server);
    await expect.poll(() => events.map(({ name }) => name), { timeout: 10_000 }).toEqual(["hello"]);
    const child = spawn(process.execPath, [PROGRAM, "note", "TASK-001", "from elsewhere"], {
      cwd: root,
      stdio: "ignore",
    });
    await once(child, "exit");
    await expect.poll(() => events.length, { timeout: 10_000 }).toBe(2);
    const { name, data } = events[1]!;
    const { changes, others, stamp } = data as ChangeEvent;
    expect(name).toBe("change");
    expect(changes).toMatchObject([
      { id: "TASK-001", what: "changed", revision: 2, row: { id: "TASK-001", revision: 2 } },
    ]);
    expect(others.map(({ id }) => id)).toEqual(["PLAN-001"]);
    expect((await answer<WorkspaceAnswer>(server, "workspace.json")).stamp).toBe(stamp);
  });

  it("[VIEWER-28] the end of a claim is told, though no log changes", ROTATING, async () => {
    const ws = openTemp({ now: () => Date.now() - 58_000 });
    await ok(ws, "tasks_create", { kind: "task", title: "A parser" });
    await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 60 });
    const { events } = listen(await serving(ws.root));
    await expect.poll(() => events.length, { timeout: 10_000 }).toBeGreaterThan(1);
    const { changes } = events.at(-1)!.data as ChangeEvent;
    expect(changes).toMatchObject([{ id: "TASK-001", what: "changed", row: { id: "TASK-001" } }]);
    expect(changes[0]!.row!.claims[0]!.expires_at < new Date().toISOString()).toBe(true);
  });

  it("[VIEWER-3] a root that was taken away is an error, and no empty workspace", async () => {
    const root = await filled();
    const server = await serving(root);
    expect((await get(server, "/api/v1/board/0.json")).status).toBe(200);
    renameSync(root, `${root}-moved`);
    onTestFinished(() => renameSync(`${root}-moved`, root));
    await expect.poll(async () => (await get(server, "/api/v1/board/0.json")).status).toBe(500);
    const { body } = await get(server, "/api/v1/workspace.json");
    expect((JSON.parse(body) as ErrorAnswer).error).toMatchObject({ code: "STORAGE_FAILED" });
    expect(body).not.toContain(root);
  });

  it("[VIEWER-3] a root without its .coco, as after a checkout, is an error, and no empty workspace", async () => {
    const root = await filled();
    const server = await serving(root);
    expect((await get(server, "/api/v1/board/0.json")).status).toBe(200);
    renameSync(join(root, ".coco"), join(root, "moved"));
    await expect.poll(async () => (await get(server, "/api/v1/board/0.json")).status).toBe(500);
    const { body } = await get(server, "/api/v1/health.json");
    expect((JSON.parse(body) as ErrorAnswer).error).toMatchObject({ code: "STORAGE_FAILED" });
    renameSync(join(root, "moved"), join(root, ".coco"));
    await expect.poll(async () => (await get(server, "/api/v1/board/0.json")).status).toBe(200);
  });

  it("[VIEWER-5] errors have a code and a way out, and no path of the machine", async () => {
    const root = await filled();
    mkdirSync(join(root, ".coco/tasks/TASK-002/events.jsonl"), { recursive: true });
    const server = await serving(root);
    for (const [path, status] of [
      ["/api/v1/entities/TASK-009.json", 404],
      ["/api/v1/entities/TASK-002.json", 422],
      ["/api/v1/nothing.json", 404],
      [`/raw/v1/TASK-001/${"0".repeat(64)}`, 404],
    ] as const) {
      const got = await get(server, path);
      const { error } = JSON.parse(got.body) as ErrorAnswer;
      expect([got.status, typeof error.code, error.recovery === null], path).toEqual([status, "string", false]);
      expect(got.body, path).not.toContain(root);
    }
  });

  it("[regression VIEWER-30] without built pages the interface answers, and the page says how to build them", async () => {
    const server = await serving(await filled(), { pages: tempFolder() });
    expect((await get(server, "/")).body).toContain("npm run build");
    expect((await answer<WorkspaceAnswer>(server, "workspace.json")).counts.tasks).toBe(1);
  });

  it("[VIEWER-26] built pages are served by their names, and nothing beside them", async () => {
    const pages = builtPages();
    symlinkSync("/etc/passwd", join(pages, "link.txt"));
    const server = await serving(await filled(), { pages });
    expect((await get(server, "/")).body).toBe(INDEX);
    expect((await get(server, "/assets/graph.js")).headers["content-type"]).toContain("text/javascript");
    const zipped = await get(server, "/", { headers: { "accept-encoding": "gzip" } });
    expect(zipped.status).toBe(200);
    for (const path of ["/.hidden.js", "/link.txt", "/assets/", "/../index.html", "/%2e%2e/index.html", "/constructor"])
      expect((await get(server, path)).status, path).toBe(path.includes("index") ? 200 : 404);
  });
});

describe("a hostile folder", () => {
  async function withEvidence(stdout: string): Promise<{ root: string; sha256: string }> {
    const root = await filled();
    const ws = openWorkspace({ root, workspace: WORKSPACE });
    const items = [{ kind: "run", command: "make", exit_code: 0, stdout }];
    await ws.call("tasks_evidence_capture", { task: "TASK-001", items });
    await ws.close();
    const server = await serving(root);
    const { evidence } = await answer<EvidenceAnswer>(server, "entities/TASK-001/evidence/0.json");
    return { root, sha256: evidence[0]!.runs[0]!.stdout!.sha256 };
  }

  it("[VIEWER-26] captured bytes are text or a download, and never a page", async () => {
    const { root, sha256 } = await withEvidence(SVG);
    const server = await serving(root);
    const text = await get(server, `/raw/v1/TASK-001/${sha256}`);
    expect(text).toMatchObject({ status: 200, body: SVG });
    expect(text.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text.headers["content-security-policy"]).toContain("sandbox");
    expect(text.headers["x-content-type-options"]).toBe("nosniff");
    const download = await get(server, `/raw/v1/TASK-001/${sha256}?download`);
    expect(download.headers["content-disposition"]).toBe(`attachment; filename="${sha256}.txt"`);
    const bytes = Buffer.from([0, 1, 0xff]);
    const name = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(root, ".coco/tasks/TASK-001/shared/evidence/blobs", name), bytes);
    const binary = await get(server, `/raw/v1/TASK-001/${name}`);
    expect(binary.headers["content-type"]).toBe("application/octet-stream");
    expect(binary.headers["content-disposition"]).toMatch(/^attachment/);
  });

  it("[VIEWER-26] no path leads out of the folder, by name or by link", async () => {
    const { root, sha256 } = await withEvidence("fine");
    const secret = join(tempFolder(), "secret");
    writeFileSync(secret, "TOP SECRET");
    const folder = join(root, ".coco/tasks/TASK-001/shared/evidence/blobs");
    symlinkSync(secret, join(folder, "1".repeat(64)));
    mkdirSync(join(root, ".coco/tasks/TASK-003/shared/evidence"), { recursive: true });
    cpSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), join(root, ".coco/tasks/TASK-003/events.jsonl"));
    symlinkSync(folder, join(root, ".coco/tasks/TASK-003/shared/evidence/blobs"));
    symlinkSync(join(root, ".coco/tasks/TASK-001"), join(root, ".coco/tasks/TASK-004"));
    const server = await serving(root);
    const paths = [
      `/raw/v1/TASK-001/${"1".repeat(64)}`,
      `/raw/v1/TASK-003/${sha256}`,
      `/raw/v1/TASK-004/${sha256}`,
      `/raw/v1/../../${sha256}`,
      `/raw/v1/%2e%2e/${sha256}`,
      `/raw/v1/..%2f..%2f/${sha256}`,
      `/raw/v1/TASK-001/../events.jsonl`,
      `/raw/v1/TASK-001/..%2f..%2f..%2fevents.jsonl`,
      "/api/v1/entities/..%2f..%2fworkspace.json",
      "/api/v1/entities/TASK-004.json",
      "//evil.example/api/v1/workspace.json",
      "/.coco/workspace.yaml",
      "/etc/passwd",
    ];
    for (const path of paths) {
      const { status, body } = await get(server, path);
      expect([status >= 400, body.includes("SECRET") || body === "fine"], path).toEqual([true, false]);
    }
  });

  it("[VIEWER-5] [VIEWER-24] titles and ids are data: JSON with its type, whatever they hold", async () => {
    const ws = openTemp({ by: "agent:ada" });
    const title = `</script><img src=x onerror=alert(1)>${"\u202e"}`;
    await ok(ws, "tasks_create", { title });
    const server = await serving(ws.root);
    const got = await get(server, "/api/v1/entities/PLAN-001.json");
    expect(got.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect((JSON.parse(got.body) as EntityAnswer).title).toBe(title);
  });

  it("[VIEWER-26] what is no request is answered without harm", async () => {
    const server = await serving(await filled());
    const said = (text: string): Promise<string> =>
      new Promise((done) => {
        let heard = "";
        const socket = connect(server.port, "127.0.0.1", () => socket.end(text));
        socket.on("data", (chunk) => (heard += chunk.toString())).on("close", () => done(heard));
        socket.on("error", () => done(heard));
      });
    const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`;
    expect(await said(`GET http://evil.example/api/v1/workspace.json HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 400/);
    expect(await said(`GET * HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 4/);
    expect(await said(`GET /${"a".repeat(5000)} HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 414/);
    expect(await said("GET / HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1.1 4/);
    expect((await answer<WorkspaceAnswer>(server, "workspace.json")).counts.tasks).toBe(1);
  });

  it("[VIEWER-1] serving and listening write nothing into the folder", async () => {
    const root = tempFolder();
    cpSync(await filled(), root, { recursive: true });
    const before = tree(root);
    const server = await serving(root);
    const { events } = listen(server);
    await expect.poll(() => events.length, { timeout: 10_000 }).toBe(1);
    for (const name of ["board/0.json", "health.json", "agents.json", "entities/TASK-001/check.json"])
      await answer(server, name);
    await server.close();
    expect(tree(root)).toEqual(before);
  });
});

describe("the command", () => {
  it(
    "[VIEWER-22] [VIEWER-21] prints an address of this machine with its token, and ends when it is told to",
    ROTATING,
    async () => {
      const root = await filled();
      const child = spawn(process.execPath, [PROGRAM, "view"], { cwd: root });
      onTestFinished(() => void child.kill("SIGKILL"));
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      await expect.poll(() => out, { timeout: 20_000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/);
      const { port, searchParams } = new URL(out.trim());
      const server = { port: Number(port), token: searchParams.get("token")! };
      expect((await get(server, "/api/v1/workspace.json")).status).toBe(200);
      child.kill("SIGTERM");
      const [code] = (await once(child, "exit")) as [number];
      expect(code).toBe(0);
    },
  );

  it.runIf(process.platform === "linux")(
    "[VIEWER-21] --open puts no token on a command line: it opens a page of this user alone, which leads to the address",
    async () => {
      const [root, programs, temp] = [await filled(), tempFolder(), tempFolder()];
      // Stands for the program of the system: it keeps what it was called with, and the page as it was then.
      const opener = join(programs, "xdg-open");
      writeFileSync(
        opener,
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.args"\ncat "$1" > "$0.part"\nmv "$0.part" "$0.page"\n',
      );
      chmodSync(opener, 0o755);
      vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
      vi.stubEnv("TMPDIR", temp);
      onTestFinished(() => void vi.unstubAllEnvs());
      const stop = new AbortController();
      const ran = run({ cwd: root, stop: stop.signal }, "view", "--open");
      await expect.poll(() => existsSync(`${opener}.page`), { timeout: 20_000 }).toBe(true);
      const path = readFileSync(`${opener}.args`, "utf8").trim();
      expect(path).toMatch(/^\/.*\/taskfold-view-[^/]+\/open\.html$/);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
      const page = readFileSync(`${opener}.page`, "utf8");
      stop.abort();
      const { code, out, err } = await ran;
      expect([code, err]).toEqual([0, expect.not.stringContaining("open") as string]);
      expect(page).toContain(`http-equiv="refresh" content="0;url=${out.trim()}"`);
      expect(page).not.toMatch(/<script|\son\w+=/);
      expect(readdirSync(temp)).toEqual([]);
    },
  );

  it("[VIEWER-21] says to open the address where no page can be written, and serves", async () => {
    const root = await filled();
    vi.stubEnv("TMPDIR", "/proc");
    onTestFinished(() => void vi.unstubAllEnvs());
    const stop = new AbortController();
    stop.abort();
    const { code, out, err } = await run({ cwd: root, stop: stop.signal }, "view", "--open");
    expect([code, out]).toEqual([0, expect.stringMatching(/^http:.*token=/) as string]);
    expect(err).toContain("Open the address in a browser.");
  });

  it("[VIEWER-22] warns where other machines reach it, and refuses what it cannot listen on", async () => {
    const root = await filled();
    const stop = new AbortController();
    stop.abort();
    const open = await run({ cwd: root, stop: stop.signal }, "view", "--host", "0.0.0.0");
    expect(open.code).toBe(0);
    expect(open.err).toContain("other machines reach the server");
    expect(open.out).toMatch(/^http:\/\/(?!0\.0\.0\.0)[^/]+:\d+\/\?token=/);
    const six = await run({ cwd: root, stop: stop.signal }, "view", "--host", "[::1]");
    expect([six.code, six.out]).toEqual([0, expect.stringMatching(/^http:\/\/\[::1\]:\d+\//) as string]);
    const own = await run({ cwd: root, stop: stop.signal }, "view", "--json");
    expect(own.err).toBe("");
    expect(JSON.parse(own.out)).toMatchObject({ success: true, result: { host: "127.0.0.1" } });
    const { port } = await serving(root);
    const taken = await run({ cwd: root }, "view", "--port", String(port));
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining("EADDRINUSE") as string]);
    expect((await run({ cwd: root }, "view", "--port", "70000")).code).toBe(2);
    const nowhere = await run({ cwd: root, stop: stop.signal }, "view", "--host", "");
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining("found an empty text") as string]);
    expect((await run({ cwd: tempFolder() }, "view")).code).not.toBe(0);
  });
});
