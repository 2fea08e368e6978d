// @ts-check
// The looks of the viewer's pages that a browser alone can measure: sizes, lines, and what is cut.
import { assert, assertNone, check, says, setting, soon, visit } from "./checks.mjs";

/** @typedef {import("playwright-core").Page} Page */
const SIZES = [
  [1280, 800],
  [1920, 1080],
  [3840, 2160],
  [1000, 500],
  [800, 600],
];

/** @param {Page} page @param {string} base @param {string} task with names in its text */
export async function looks(page, base, task) {
  await check("[regression PAGE-48] the board scrolls and the page around it does not, in each size", async () => {
    for (const [width = 0, height = 0] of SIZES) {
      await page.setViewportSize({ width, height });
      await visit(page, base, "#/board");
      await soon(async () => {
        const over = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
        assert(over === 0, `expected no scroll at ${width}x${height}, found ${over} pixels`);
      });
    }
  });
  await check("[regression PAGE-49] the numbers of a plan's tasks are whole on a phone", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await visit(page, base, "#/plan/PLAN-001");
    await soon(async () => {
      const cells = await page
        .locator(".tall td")
        .evaluateAll((all) =>
          all.map((one) => ({ isCut: one.scrollWidth > one.clientWidth, text: one.textContent ?? "" })),
        );
      assert(cells.length > 0, "expected cells");
      assertNone(
        cells.flatMap(({ isCut, text }) => (isCut ? [text] : [])),
        "cut cells",
      );
    });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check(
    "[regression PAGE-76] on a phone the filters stand behind a button, and the board alone scrolls",
    async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await visit(page, base, "#/board?is=blocked");
      const button = page.getByRole("button", { name: "Filters (1)" });
      await soon(async () => {
        assert((await button.getAttribute("aria-expanded")) === "false", "expected the filters to be closed");
        const [over, board] = await page.evaluate(() => [
          document.documentElement.scrollHeight - innerHeight,
          document.querySelector(".board")?.clientHeight ?? 0,
        ]);
        assert(over === 0 && Number(board) > 440, `found ${over} pixels of scroll, and a board of ${board}`);
      });
      await button.press("Enter");
      await page.getByLabel("Group by").waitFor();
      await visit(page, base, "#/plans");
      await visit(page, base, "#/board");
      // They stay open.
      await page.getByLabel("Group by").waitFor();
      await page.getByRole("button", { name: "Filters" }).click();
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check(
    "[PAGE-105] [regression PAGE-110] columns begin with what changed last, and cards are as high as their text",
    async () => {
      await visit(page, base, "#/board");
      await soon(async () => {
        const cells = await page.locator(".cell").evaluateAll((all) =>
          all.flatMap((cell) => {
            const card = /** @type {HTMLElement | null} */ (cell.querySelector(".card"));
            if (!card) return [];
            const last = /** @type {HTMLElement} */ (card.lastElementChild).getBoundingClientRect();
            const frame = Number.parseFloat(getComputedStyle(card).paddingBottom) + 1;
            return [
              {
                column: cell.getAttribute("data-place")?.split(".")[1],
                changed: card.querySelector("time")?.getAttribute("datetime") ?? "",
                free: card.getBoundingClientRect().bottom - frame - last.bottom,
                text: card.innerText,
              },
            ];
          }),
        );
        assert(cells.length > 10, `found ${cells.length} cards`);
        assertNone(
          // A title that nearly has room on one line may have a second.
          cells.filter(({ free }) => free < -1 || free > 22).map(({ text, free }) => `${free} pixels free in ${text}`),
          "cards of another height than their text",
        );
        for (const one of ["0", "1", "2"]) {
          const times = cells.filter(({ column }) => column === one).map(({ changed }) => changed);
          assert(times.join() === times.toSorted().toReversed().join(), `column ${one}: found ${times.join()}`);
        }
      });
    },
  );
  await check(
    "[regression PAGE-77] a board that is too narrow for its columns shows a part of the next one",
    async () => {
      await page.setViewportSize({ width: 768, height: 900 });
      await visit(page, base, "#/board");
      await soon(async () => {
        const parts = await page
          .locator(".column-head")
          .evaluateAll((all) => all.map((one) => (innerWidth - one.getBoundingClientRect().left) / one.clientWidth));
        assert(
          parts.some((part) => part > 0.1 && part < 0.5),
          `found ${parts.join(", ")}`,
        );
      });
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check("[regression PAGE-78] paper has every card, and no navigation and filters", async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await visit(page, base, "#/board");
    await page.locator(".toolbar [role=status]", { hasText: /^\d+/ }).waitFor();
    const total = Number.parseInt(await page.locator(".toolbar [role=status]").innerText(), 10);
    await page.emulateMedia({ media: "print" });
    // A browser prints when its event has been heard, and so waits for nothing.
    const printed = await page.evaluate(() => {
      dispatchEvent(new Event("beforeprint"));
      return document.querySelectorAll(".card").length;
    });
    assert(printed === total, `expected ${total} cards on paper, found ${printed}`);
    for (const hidden of [".toolbar", ".top"]) await page.locator(hidden).waitFor({ state: "hidden" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await check("[regression PAGE-122] paper has every step of a task unfolded, with its proof", async () => {
    await visit(page, base, `#/task/${task}`);
    const [steps, open] = [await page.locator(".step").count(), await page.locator(".step-body").count()];
    assert(open < steps, `expected folded steps on the screen, found ${open} open ones of ${steps}`);
    await page.emulateMedia({ media: "print" });
    const printed = await page.evaluate(async () => {
      dispatchEvent(new Event("beforeprint"));
      await Promise.resolve();
      const done = [...document.querySelectorAll(".step[data-state=done]")];
      return {
        bodies: document.querySelectorAll(".step-body").length,
        withoutProof: done.filter((step) => !step.querySelector(".proof-card")).length,
      };
    });
    assert(printed.bodies === steps && printed.withoutProof === 0, `of ${steps} found ${JSON.stringify(printed)}`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
  });
  await check("each key of the list of keys stands on one line", async () => {
    await visit(page, base, "#/board");
    await page.keyboard.press("?");
    await page.locator(".help kbd").first().waitFor();
    const broken = await page.locator(".help kbd").evaluateAll((keys) => {
      const line = keys[0]?.clientHeight ?? 0;
      const isBroken = (/** @type {Element} */ one) => {
        const list = one.closest("dt");
        return one.clientHeight > line || !list || list.scrollWidth > list.clientWidth;
      };
      return keys.filter(isBroken).map((one) => one.textContent ?? "");
    });
    assertNone(broken, "keys");
    await page.keyboard.press("Escape");
  });
  await check("names stand on the line of the words before them", async () => {
    await visit(page, base, `#/task/${task}`);
    await soon(async () => {
      const steps = await page.locator(".facts dd:has(time) .person-name").evaluateAll((names) =>
        names.map((one) => {
          // Of the letters, not of their boxes.
          const [before, name] = [one.closest("dd")?.querySelector("time"), one].map((element) => {
            const letters = document.createRange();
            if (element) letters.selectNodeContents(element);
            return letters.getBoundingClientRect().bottom;
          });
          return Math.abs((before ?? 0) - (name ?? 0));
        }),
      );
      assert(steps.length > 0 && steps.every((pixels) => pixels < 1), `found ${JSON.stringify(steps)}`);
    });
  });
}

/** @param {Page} page @param {string} base */
export async function lanes(page, base) {
  await check(
    "[regression PAGE-82, PAGE-83] marks, their numbers and bars stand apart on each lane, under a sticky axis",
    async () => {
      for (const width of [360, 768, 1280, 3840]) {
        await page.setViewportSize({ width, height: 800 });
        await visit(page, base, "#/agents?lanes=1");
        await page.locator(".agent-lane .mark").first().waitFor();
        await soon(async () => {
          const faults = await page.locator(".lane-track").evaluateAll((tracks) =>
            tracks.flatMap((track) => {
              const room = track.getBoundingClientRect();
              const boxes = [...track.querySelectorAll(".mark")].map((mark) => {
                const { left, right } = mark.getBoundingClientRect();
                const number = mark.querySelector(".mark-count")?.getBoundingClientRect();
                return { left, right: Math.max(right, number?.right ?? right) };
              });
              return boxes
                .toSorted((one, other) => one.left - other.left)
                .flatMap(({ left, right }, index, all) => {
                  const before = all[index - 1];
                  return left < room.left || right > room.right || (before && before.right > left)
                    ? [`${left} ${right}`]
                    : [];
                });
            }),
          );
          assertNone(faults, `marks over each other or beside their lane at ${width}`);
        });
      }
      await page.setViewportSize({ width: 1280, height: 400 });
      await page.locator(".agent-lane").last().scrollIntoViewIfNeeded();
      await soon(async () => {
        const top = await page.locator(".lanes-axis").evaluate((axis) => axis.getBoundingClientRect().top);
        assert(top >= 0 && top < 400, `expected the axis in sight, found ${top}`);
      });
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
  await check(
    "[PAGE-105] an unfolded table has the width of the page, and a sentence its own row on a phone",
    async () => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await visit(page, base, "#/agents?agent=agent:bob");
        const sentence = page.locator(".agent-story .sentence").first();
        await soon(async () => {
          const wide = (await sentence.boundingBox())?.width ?? 0;
          assert(wide > (width === 360 ? 250 : 500), `expected room for a sentence at ${width}, found ${wide}`);
        });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
}

/** @param {Page} page @param {string} base @param {string} task of many revisions */
export async function steady(page, base, task) {
  await check("[PAGE-105] tabs of the past stay in their place from revision to revision", async () => {
    await visit(page, base, `#/time/${task}`);
    const tabs = page.locator('[role="tablist"]');
    const last = Number(await page.locator("#time-slider").getAttribute("max"));
    const places = new Set();
    // The present has a check of its files above its tabs, and the tallest head comes up in the first round.
    for (let round = 0; round < 2; round++) {
      for (let n = last - 1; n > 0; n -= 3) {
        await visit(page, base, `#/time/${task}?at=${n}`);
        await page.locator('section[aria-busy="false"]').waitFor();
        if (round === 1) places.add((await tabs.boundingBox())?.y);
      }
    }
    assert(places.size === 1, `expected one place, found ${[...places].join(", ")}`);
  });
}

/** @param {Page} page @param {string} base @param {string} task with a Taskdoc */
export async function small(page, base, task) {
  await check("a plan without a checklist says so, and the way to the present stands above the past", async () => {
    await visit(page, base, "#/time/PLAN-001?at=1&tab=checklist");
    await soon(async () => {
      const panel = await page.locator(".tab-panel").innerText();
      assert(panel.trim() === "The checklist has no items.", `found ${panel}`);
    });
    await page.locator(".entity-head").getByRole("button", { name: "To the present" }).click();
    await page.waitForURL((url) => !url.hash.includes("at="));
  });
  await check("sections of the Taskdoc have names for people", async () => {
    await visit(page, base, `#/task/${task}?tab=taskdoc`);
    await soon(async () => {
      const names = await page.locator(".section-choice").allInnerTexts();
      assert(
        names.some((name) => name.startsWith("Bear in mind: ")),
        `found ${names.join(", ")}`,
      );
      assert(!names.some((name) => name.includes("bearinmind/")), `found ${names.join(", ")}`);
    });
  });
  await check("[PAGE-104] a section at the top that was never written has a pane that says so", async () => {
    for (const [hash, written] of [
      [`#/task/${task}?tab=taskdoc`, true],
      ["#/plan/PLAN-001?tab=taskdoc", false],
    ]) {
      await visit(page, base, String(hash));
      await soon(async () => {
        const taskdoc = page.getByRole("navigation", { name: "Taskdoc" });
        const names = await taskdoc.locator(".section-choice").allInnerTexts();
        const [first] = names.splice(0, 3);
        assert(first === "Goals" && names.length > 0 === written, `found ${first} and then ${names.join(", ")}`);
      });
    }
    for (const name of ["Goals", "Constraints", "Progress"]) {
      await page.getByRole("button", { name, exact: true }).click();
      const pane = page.locator(".section", { has: page.locator("h2", { hasText: name }) });
      await says(pane, ["This section was never written."]);
    }
    await setting(page, "Language", "zh");
    await says(page.locator(".section"), ["此章节尚未写入。"]);
    await setting(page, "语言", "en");
  });
  await check("[regression PAGE-49] a table that goes on to the side says so", async () => {
    await visit(page, base, "#/health?logs=1");
    const hint = page.locator(".sideways");
    // The page measures its tables once the browser tells of their new width. There is none where every column has room.
    await hint.waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 360, height: 740 });
    await hint.waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}

/** @param {import("./browser.mjs").Browser} browser @param {string} address of an export */
export async function readLater(browser, address) {
  await check("[regression PAGE-53] an export that is read later tells a claim as of the export", async () => {
    const page = await browser.page();
    await page.clock.install({ time: Date.now() + 11 * 86_400_000 });
    await page.goto(`${address}#/board`);
    await says(page.locator(".card .badge.violet").first(), ["as of the export"]);
    await page.context().close();
  });
}

/** Words that a program reads, not a person. */
const FOR_PROGRAMS = /GET \/|api\/v1|tasks_[a-z]+|docs\/viewer/;

/** @param {Page} page @param {string} base */
export async function missing(page, base) {
  await check(
    "[regression PAGE-52] an address that names nothing is told to people: no call of a program, and a way to the board",
    async () => {
      for (const hash of ["#/task/TASK-999", "#/time/TASK-999"]) {
        await visit(page, base, hash);
        await soon(async () => {
          const text = await page.locator("main").innerText();
          assert(!FOR_PROGRAMS.test(text) && text.includes("nothing at this address"), `${hash}: found ${text}`);
          const links = await page.locator("main").getByRole("link", { name: "To the board" }).count();
          assert(links === 1, "expected a link");
        });
      }
    },
  );
}

/** @param {Page} page @param {string} base @param {string} task of a packet */
export async function budgets(page, base, task) {
  await page.route(`**/api/v1/entities/${task}.json`, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    json.packet.budgets.retry = { budget: 60, used: 450 };
    json.packet.budgets.paid_calls = { budget: 60, used: 30 };
    await route.fulfill({ response, json });
  });
  await visit(page, base, `#/task/${task}?tab=packet`);
  await soon(async () => {
    const bars = await page.locator(".meter").evaluateAll((all) =>
      all.map((one) => {
        const [whole, part] = [one.getBoundingClientRect(), one.firstElementChild?.getBoundingClientRect()];
        return { part: (part?.width ?? 0) / whole.width, height: (part?.height ?? 0) / whole.height };
      }),
    );
    assert(bars.length === 3 && bars[0]?.part === 1 && bars[1]?.part === 0.5, `found ${JSON.stringify(bars)}`);
    assert(
      bars.every(({ height }) => height === 1),
      `found ${JSON.stringify(bars)}`,
    );
    const lines = await page.locator(".budgets li").allInnerTexts();
    assert(/450 \/ 60\s+over/.test(lines[0] ?? "") && !lines[1]?.includes("over"), `found ${lines.join("; ")}`);
  });
}
