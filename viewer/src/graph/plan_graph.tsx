/** The tasks of a plan and their dependencies: from left to right, the critical path marked, ready tasks named beside it. */
import type { JSX, RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { GraphAnswer, GraphNode } from "../../../src/views/viewer/api.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { useChunk } from "../data/chunk.ts";
import { names } from "../data/names.ts";
import { isOpen, STATUS_LOOKS } from "../parts/badge.tsx";
import type { Tone } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { useLink } from "../parts/page_link.tsx";
import { PartOf } from "../parts/part_of.tsx";
import type { IconName } from "../parts/icon.tsx";
import { nameOf } from "../text/actor_name.ts";
import { Empty, Failure, Loading, When } from "../parts/states.tsx";
import { useWords } from "../text/words.ts";
import { isLayered, layeredLayout, NODE } from "./layered_layout.ts";
import { frameOf, wantedFirst } from "./first_view.ts";
import { usePanZoom } from "./use_pan_zoom.ts";

export function PlanGraph({ id, title }: { id: string; title: string }): JSX.Element {
  const name = names.graph(id);
  const held = useAnswer(name);
  return (
    <When held={held} again={() => askAgain(name)}>
      {(graph) => <Graph graph={graph} title={title} />}
    </When>
  );
}

function Graph({ graph, title }: { graph: GraphAnswer; title: string }): JSX.Element {
  const words = useWords();
  const { plan } = words;
  const byId = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph]);
  /** Set by the drawing, which knows where each node lies. */
  const show = useRef<(id: string) => void>(() => undefined);
  if (graph.nodes.length === 0) return <Empty icon="plan" title={plan.noTasks} />;
  const named = { byId, show: (id: string) => show.current(id) };
  return (
    <>
      <div class="graph-lists">
        <Named title={plan.ready} ids={graph.ready} icon="ready" empty={plan.noReady} {...named} />
        {graph.critical_path.length > 1 && (
          <Named
            title={plan.critical}
            ids={graph.critical_path}
            icon="priority"
            note={plan.criticalOf(graph.critical_path.length, openSteps(graph))}
            {...named}
          />
        )}
        {graph.circle.length > 0 && <Named title={plan.circle} ids={graph.circle} icon="conflict" {...named} />}
      </div>
      {graph.cut && <p class="notice amber">{plan.cut}</p>}
      {graph.edges.length === 0 && <p class="muted">{plan.noEdges}</p>}
      <Drawing graph={graph} title={title} show={show} />
    </>
  );
}

function openSteps({ nodes }: GraphAnswer): number {
  return nodes.reduce((sum, { critical, progress: { done, total } }) => sum + (critical ? total - done : 0), 0);
}

interface NamedProps {
  title: string;
  ids: readonly string[];
  byId: ReadonlyMap<string, GraphNode>;
  icon: IconName;
  show: (id: string) => void;
  note?: string;
  empty?: string;
}

/** Tasks in a list, as many as leave the drawing in sight. */
const MAX_NAMED = 6;

/** Each leads to its node in the drawing, which leads to its page. */
function Named({ title, ids, byId, icon, show, note, empty }: NamedProps): JSX.Element {
  const { plan } = useWords();
  return (
    <section class="named">
      <h2>
        <Icon name={icon} />
        {title} {note && <span class="muted">{note}</span>}
      </h2>
      {ids.length === 0 && <p class="muted">{empty}</p>}
      <PartOf list={ids} size={MAX_NAMED}>
        {(part) => (
          <ul class="bare inline">
            {part.map((id) => (
              <li key={id}>
                <button type="button" class="to-node" title={plan.showInGraph} onClick={() => show(id)}>
                  <span class="id">{id}</span> {byId.get(id)?.title}
                </button>
              </li>
            ))}
          </ul>
        )}
      </PartOf>
    </section>
  );
}

interface DrawingProps {
  graph: GraphAnswer;
  title: string;
  show: RefObject<(id: string) => void>;
}

function Drawing({ graph, title, show }: DrawingProps): JSX.Element {
  const { plan } = useWords();
  const linkTo = useLink();
  const box = useRef<HTMLDivElement>(null);
  const { chunk, refusal, again } = useChunk("graph");
  // A new answer with the same nodes and edges keeps the layout: nothing jumps under the reader.
  const shape = JSON.stringify([
    graph.nodes.map(({ id, rank }) => [id, rank]),
    graph.edges.map(({ from, to }) => [from, to]),
  ]);
  const layout = useMemo(() => {
    if (isLayered(graph)) return layeredLayout(graph.nodes, graph.edges);
    return chunk?.layout(
      graph.nodes.map(({ id }) => id),
      graph.edges,
      NODE,
    );
  }, [shape, chunk]);
  const wanted = layout ? wantedFirst(graph, layout) : [];
  const pan = usePanZoom(box, layout ?? { width: 0, height: 0 }, wanted);
  const { view, zoom, fit } = pan;
  useEffect(() => {
    show.current = (id) => {
      const place = layout?.nodes.get(id);
      if (!place) return;
      pan.show(frameOf(place));
      box.current?.scrollIntoView({ block: "nearest" });
      // Once the view has moved: the focus would move it by itself.
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
      );
    };
  });
  return (
    <div class="graph">
      <div class="graph-tools">
        <button
          type="button"
          class="button icon-only"
          aria-label={plan.zoomIn}
          title={plan.zoomIn}
          onClick={() => zoom(1.25)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="button icon-only"
          aria-label={plan.zoomOut}
          title={plan.zoomOut}
          onClick={() => zoom(0.8)}
        >
          <Icon name="minus" />
        </button>
        <button type="button" class="button icon-only" aria-label={plan.fit} title={plan.fit} onClick={fit}>
          <Icon name="fit" />
        </button>
      </div>
      <div
        class="graph-box"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label={plan.graphOf(title)}
        aria-describedby="graph-hint"
      >
        {!layout && (refusal ? <Failure refusal={refusal} again={again} /> : <Loading />)}
        {layout && (
          <div class="graph-world" style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}>
            <svg class="edges" width={layout.width} height={layout.height} aria-hidden="true">
              <defs>
                <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                  <path d="M0 0.5L7.5 4 0 7.5z" class="arrow-head" />
                </marker>
              </defs>
              {graph.edges.map((edge, index) => (
                <path
                  key={`${edge.from} ${edge.to}`}
                  d={pathOf(layout.edges[index] ?? [])}
                  class={edge.critical ? "edge critical" : edge.done ? "edge done" : "edge"}
                  marker-end="url(#arrow)"
                />
              ))}
            </svg>
            {graph.nodes.map((node) => (
              <Node key={node.id} node={node} place={layout.nodes.get(node.id)} link={linkTo(node.id, node.kind)} />
            ))}
          </div>
        )}
      </div>
      <p id="graph-hint" class="muted small">
        {plan.graphHint}
      </p>
    </div>
  );
}

/** Through the points, with bends instead of corners. */
function pathOf(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return "";
  const curves = rest.map((point, index) => {
    const next = rest[index + 1] ?? last;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y} ${curves.join(" ")} L${last.x} ${last.y}`;
}

interface NodeProps {
  node: GraphNode;
  place: { x: number; y: number } | undefined;
  link: ReturnType<ReturnType<typeof useLink>>;
}

function Node({ node, place, link }: NodeProps): JSX.Element | null {
  const words = useWords();
  if (!place) return null;
  const marks = looksOf(node, words);
  const looks = [
    "node",
    `status-${node.status}`,
    node.critical && "critical",
    node.ready && "ready",
    node.blocked && "blocked",
    !node.inside && "outside",
  ];
  return (
    <a
      class={looks.filter(Boolean).join(" ")}
      {...link}
      style={{ left: `${place.x - NODE.width / 2}px`, top: `${place.y - NODE.height / 2}px` }}
      data-id={node.id}
      title={[node.title, ...marks.map(({ label }) => label)].join("\n")}
    >
      <span class="node-head">
        <span class="id">{node.id}</span>
        <span class="push node-state">
          {marks.map(({ tone, icon, label, brief }) => (
            <span key={label} class={`node-mark ${tone}`} title={label}>
              <Icon name={icon} />
              <span class={brief ? "visually-hidden" : undefined}>{label}</span>
            </span>
          ))}
        </span>
      </span>
      <span class="node-title">{node.title}</span>
      {!node.inside && <span class="visually-hidden">{words.plan.outside}</span>}
      {node.critical && <span class="visually-hidden">{words.plan.critical}</span>}
    </a>
  );
}

/** In the words of the board, the gravest first: icons for trouble, and a word for the first of all and of the rest. */
function looksOf(node: GraphNode, words: ReturnType<typeof useWords>): Look[] {
  const found: Look[] = [];
  if (node.failed_proof > 0) found.push({ tone: "red", icon: "failed", label: words.signal.failed, brief: true });
  if (node.conflicts > 0) found.push({ tone: "orange", icon: "conflict", label: words.signal.conflicts, brief: true });
  if (node.blocked) found.push({ tone: "red", icon: "blocked", label: words.signal.blocked, brief: true });
  if (node.waits && isOpen(node.status)) found.push({ tone: "plain", icon: "wait", label: words.signal.waits });
  if (node.ready) found.push({ tone: "blue", icon: "ready", label: words.signal.ready });
  if (node.partly_blocked) found.push({ tone: "amber", icon: "blocked", label: words.signal.partly, brief: true });
  if (node.claimed_by) found.push({ tone: "plain", icon: "claim", label: nameOf(node.claimed_by) });
  if (found.length === 0) {
    const { icon } = STATUS_LOOKS[node.status];
    found.push({ tone: "plain", icon, label: words.status[node.status] });
  }
  const [first, ...others] = found;
  return [
    { ...first!, brief: false },
    ...others.filter(({ brief }) => brief),
    ...others.filter(({ brief }) => !brief).slice(0, 1),
  ];
}

interface Look {
  tone: Tone;
  icon: IconName;
  label: string;
  /** The icon stands for it beside a word that is weightier; its title has the label. */
  brief?: boolean;
}
