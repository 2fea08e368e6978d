/** Sentences of the engine and of its log on Chinese pages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentsAnswer, BoardAnswer, EntityAnswer, HistoryAnswer } from "../../src/views/viewer/api.ts";
import { sentenceInChinese } from "../../viewer/src/text/zh_sentences.ts";
import { ZH_FINDINGS } from "../../viewer/src/text/zh_findings.ts";
import { read, viewerOf } from "./view_support.ts";

const GOLDEN = join(import.meta.dirname, "../golden");

/** Every sentence of these that a page shows, from what stands in a folder. */
async function sentencesIn(root: string): Promise<string[]> {
  const viewer = viewerOf(root);
  const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
  const said: string[] = [];
  for (const { id, source } of rows) {
    const { radar, steps, packet, recent } = await read<EntityAnswer>(viewer, `entities/${id}.json`);
    said.push(radar.now, ...radar.next, ...radar.verify, ...radar.blockers);
    said.push(...steps.flatMap(({ due }) => due), ...(packet ? [packet.next.action] : []));
    said.push(...recent.map(({ message }) => message));
    if (source === "coco") continue;
    const { ops } = await read<HistoryAnswer>(viewer, `entities/${id}/history/0.json`);
    said.push(...ops.map(({ message }) => message));
  }
  const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
  said.push(...lanes.flatMap(({ waits }) => waits.flatMap(({ why }) => why)));
  return [...new Set(said)].filter((one) => one !== "");
}

describe("Chinese pages", () => {
  it("[PAGE-12] sentences of radar, history, packets and lanes are Chinese", async () => {
    for (const name of readdirSync(GOLDEN)) {
      const said = await sentencesIn(join(GOLDEN, name));
      expect(said.length).toBeGreaterThan(5);
      expect(said.filter((one) => !/\p{Script=Han}/u.test(sentenceInChinese(one).replace(/"[^"]*"/g, "")))).toEqual([]);
    }
  });

  it("[PAGE-12] what users wrote stays as it is, and so does a sentence of another form", () => {
    expect(sentenceInChinese('Closed s:0 "One. Two".')).toBe('关闭 s:0 "One. Two"。');
    expect(sentenceInChinese('Blocked s:1 "Two": waits for: it.')).toBe('s:1 "Two" 受阻：waits for: it。');
    expect(sentenceInChinese('Confirmed criteria, tests of s:0 "A". Closed s:0 "A".')).toBe(
      '确认 s:0 "A" 的标准、测试。关闭 s:0 "A"。',
    );
    expect(sentenceInChinese("s:1 Write: confirm criteria, tests")).toBe("s:1 Write：确认标准、测试");
    expect(sentenceInChinese("A sentence of a later release")).toBe("A sentence of a later release");
  });

  it("[PAGE-12] no sentence takes long, whatever is written in it", () => {
    for (const piece of ['a. B: "', "s:0 ", " by x or ", "Waits for ", "(", ": ", "then retry "]) {
      const began = process.cpuUsage();
      sentenceInChinese(piece.repeat(2000));
      sentenceInChinese(`Conflict on title: ${piece.repeat(2000)}; write it again to resolve it`);
      sentenceInChinese(`Captured 2 pieces of evidence on ${piece.repeat(2000)}.`);
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000);
    }
  });

  it("[PAGE-12] every finding that is explained is explained in Chinese", () => {
    const source = readFileSync(join(import.meta.dirname, "../../src/engine/core/findings_explained.ts"), "utf8");
    const codes = [...source.matchAll(/\[\s*"((?:[A-Z]+(?:_[A-Z]+)+ ?)+)",/g)].flatMap(([, list]) => list!.split(" "));
    expect(codes.length).toBeGreaterThan(50);
    expect(Object.keys(ZH_FINDINGS).toSorted()).toEqual(codes.toSorted());
  });
});
