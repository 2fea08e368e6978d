import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { checkShape } from "../../../src/rules/packet/check_shape.ts";
import type { Manifest } from "../../../src/state/packet.ts";
import { PACKET_SCHEMAS } from "../../../src/state/packet_schema.ts";
import type { Infer } from "../../../src/state/schema.ts";
import { fullManifest, withMember } from "../../support/packet.ts";
import { pipelineFile, servantFile } from "../../support/packet_config.ts";
import { runsOf, sized, SWEEP } from "../../support/sweep.ts";

const SAMPLES = { manifest: fullManifest(), servant: servantFile(), pipeline: pipelineFile() };

describe.each(["manifest", "servant", "pipeline"] as const)("the schema of a %s", (name) => {
  const { schema } = PACKET_SCHEMAS[name];
  const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  const paths = pathsOf(SAMPLES[name]);

  it("[PACKET-2] says what the reader says of every changed document", SWEEP, () => {
    expect(accepts(SAMPLES[name])).toBe(true);
    const odd = fc.oneof(
      fc.constantFrom(
        null,
        true,
        false,
        0,
        1,
        -1,
        1.5,
        256,
        3_000_000,
        "",
        " ",
        "a",
        "-a",
        "enable_x",
        "safe",
        "x".repeat(70),
      ),
      fc.constantFrom([], {}, ["a", "a"], [1, 1], { a: 1 }, { enable_x: true }, ["gemini_brief"], "off", "codex"),
    );
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...paths), fc.option(odd, { nil: undefined })), {
          minLength: 1,
          maxLength: 3,
        }),
        (changes) => {
          const value = changes.reduce<object>(
            (before, [path, to]) => (reachable(before, path) ? withMember(before, path, to) : before),
            SAMPLES[name],
          );
          const taken = checkShape(value, schema).length === 0;
          expect(accepts(value), JSON.stringify(value)).toBe(taken);
          seen[taken ? "yes" : "no"]++;
        },
      ),
      runsOf(1000),
    );
    expect(seen.yes).toBeGreaterThanOrEqual(sized(0, 11));
    expect(seen.no).toBeGreaterThanOrEqual(sized(0, 101));
  });
});

describe("the type of a manifest", () => {
  it("[PACKET-2] is the type of its schema", () => {
    expectTypeOf<Infer<typeof PACKET_SCHEMAS.manifest.schema>>().toExtend<Manifest>();
    expectTypeOf<Manifest>().toExtend<Infer<typeof PACKET_SCHEMAS.manifest.schema>>();
  });
});

function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  const own = Object.entries(value).flatMap(([key, member]) =>
    pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0
    ? [...own, ["extra"]]
    : [path, ...own, ...(Array.isArray(value) ? [] : [[...path, "extra"]])];
}

/** Whether an earlier change left something to change there. */
function reachable(value: unknown, path: readonly (string | number)[]): boolean {
  return path.slice(0, -1).every((key) => {
    value = (value as Record<string, unknown>)[key];
    return typeof value === "object" && value !== null;
  });
}
