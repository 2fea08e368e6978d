// @ts-check
// A process that makes what others make at the same time: each of sixty items by its key, some with an id that only its case sets apart.
import { openWorkspace } from "../../dist/index.js";

const [root = "", worker = "", life = ""] = process.argv.slice(2);
const ws = openWorkspace({ root, by: `agent:w${worker}`, workspace: "acme/repo", durability: "os" });
const ITEMS = 60;

// Each in an order of its own, so that they meet at other items each time; the early lives go round until they are killed.
do {
  for (let n = 0; n < ITEMS; n++) {
    const at = (n * 7 + Number(worker) * 13 + Number(life) * 5) % ITEMS;
    const spelled = Number(worker) % 2 === 0 ? `item-${at}` : `ITEM-${at}`;
    const wanted = at % 3 === 0 ? { id: spelled } : {};
    /** @type {{ title: string, kind: "task", id?: string, idempotency_key: string }} */
    const input = { title: `Item ${at}`, kind: "task", ...wanted, idempotency_key: `key-${at}` };
    const { error } = await ws.call("tasks_create", input);
    // Another one's spelling of the id: its input is another, or the id is taken.
    if (error && !["IDEMPOTENCY_CONFLICT", "ID_TAKEN"].includes(error.code)) throw new Error(error.message);
  }
} while (life === "0");
await ws.close();
