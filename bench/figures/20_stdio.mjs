import { TOOLS } from "../../dist/index.js";
import { longTask } from "../lib/long_logs.mjs";
import { mcpClient } from "../lib/mcp_client.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { TASK } from "../lib/workspaces.mjs";

const SHORT = 100;
const LENGTHS = [2_000, 50_000];

/** The calls that an agent makes all day, each with its number in a round. */
const CALLS = [
  { name: "tasks_radar", input: { task: TASK }, n: 40 },
  { name: "tasks_resume_super", input: { task: TASK }, n: 20 },
  { name: "tasks_note", input: { task: TASK, path: "s:0", note: "A short note." }, n: 20 },
].filter(({ name }) => Object.hasOwn(TOOLS, name));

/** A call over MCP must not cost more because much has happened before. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const short = await clientOf(setting, SHORT);
  const rows = [];
  for (const events of LENGTHS) {
    const long = await clientOf(setting, events);
    for (const { name, input, n } of CALLS) {
      const calling = (client) => async (times) => {
        for (let i = 0; i < times; i++) await client.call(name, input);
      };
      const how = { rounds: setting.quick ? 11 : 31, na: n, nb: n, warm: 5 };
      const { ratio, a, b } = await paired(calling(long), calling(short), how);
      rows.push(
        row({
          figure: 20,
          name: `${name} over stdio, log of ${events} events to ${SHORT}`,
          unit: "x",
          spread: ratio,
          better: "lower",
          must: 1.5,
          aim: 1.2,
          told: `${a.toFixed(0)} us at ${events} events, ${b.toFixed(0)} us at ${SHORT}`,
        }),
      );
    }
    await long.close();
  }
  await short.close();
  return rows;
}

async function clientOf(setting, events) {
  const folder = setting.folder();
  await longTask(folder, events);
  const client = await mcpClient(folder);
  // The cold start is figure 8's; the first calls of a process compile.
  for (const { name, input } of CALLS) for (let i = 0; i < 50; i++) await client.call(name, input);
  return client;
}
