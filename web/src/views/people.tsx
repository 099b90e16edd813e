import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { get } from '../api.ts';
import { Panel, Text } from '../components/basics.tsx';
import { Empty, Loaded } from '../components/loaded.tsx';
import { MemoryLink } from '../components/memory-bits.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { go, hasOwner, href, isOfConversation, isPersonal, route, scope } from '../state.ts';
import type { Graph, MemoryRows } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { label, plural } from '../words.ts';

type Node = Graph['nodes'][number];

/** A graph of the entities of memories: one in the middle, and around it the entities that are named with it. */
export function PeopleView(): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    hasOwner.value ? (signal) => get<Graph>('/v1/subject-graph', { scope: place, signal }) : null,
    [place],
  );
  if (!hasOwner.value) return <NeedsOwner what="People and things belong to one person’s memory." />;
  return (
    <div class="page">
      <h1>{isPersonal.value ? 'People and things in your life' : 'People and things'}</h1>
      <Loaded query={query}>
        {(graph) =>
          graph.nodes.length === 0 ? (
            <Empty title="Nobody is known yet">
              <p>People, places and things appear here when a memory names them.</p>
            </Empty>
          ) : (
            <Walk graph={graph} />
          )
        }
      </Loaded>
    </div>
  );
}

function Walk({ graph }: { graph: Graph }): JSX.Element {
  const wanted = route.value.parts[0];
  const middle =
    graph.nodes.find(({ id }) => id === wanted) ??
    graph.nodes.find(({ kind }) => kind === 'user') ??
    (graph.nodes[0] as Node);
  const near = useMemo(() => neighbours(graph, middle), [graph, middle.id]);
  return (
    <>
      <div class="graph-page">
        <EgoGraph middle={middle} near={near} />
        <Panel title={<Text of={nameOf(middle)} />} aside={<span class="muted">{label(middle.kind)}</span>}>
          <Statements node={middle} />
        </Panel>
      </div>
      <Panel title="Everybody and everything">
        <ul class="tags">
          {graph.nodes.map((node) => (
            <li key={node.id}>
              <a href={href('people', [node.id])} aria-current={node.id === middle.id ? 'true' : undefined}>
                <Text of={nameOf(node)} /> <span class="muted">{node.memories}</span>
              </a>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

/** The name that is shown: "sister Ana" for "User's sister Ana", because the graph also shows the user. */
function nameOf({ label: name, kind }: Node): string {
  if (kind === 'user') return scope.value.user ?? 'User';
  return name.replace(/^User['’]s /, '');
}

interface Neighbour {
  node: Node;
  count: number;
}

function neighbours({ nodes, edges }: Graph, middle: Node): Neighbour[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const counts = new Map<string, number>();
  for (const { from, to, count } of edges) {
    if (from === middle.id) counts.set(to, count);
    if (to === middle.id) counts.set(from, count);
  }
  const direct = [...counts].flatMap(([id, count]) => {
    const node = byId.get(id);
    return node === undefined ? [] : [{ node, count }];
  });
  // The user is related to every entity, even where no statement names both.
  const rest =
    middle.kind === 'user'
      ? nodes.filter(({ id }) => id !== middle.id && !counts.has(id)).map((node) => ({ node, count: 0 }))
      : [];
  return [...direct, ...rest]
    .sort((one, other) => other.count - one.count || other.node.memories - one.node.memories)
    .slice(0, WIDE_PICTURE.most);
}

/** On a phone the graph is smaller and has fewer entities, so that names stay readable. */
const NARROW = matchMedia('(max-width: 760px)');
const WIDE_PICTURE = { width: 720, height: 490, inner: [150, 112], outer: [262, 200], most: 22 } as const;
const NARROW_PICTURE = { width: 380, height: 400, inner: [96, 88], outer: [148, 165], most: 12 } as const;
const IN_ONE_RING = 9;
const INNER_RING = 8;

function EgoGraph({ middle, near: all }: { middle: Node; near: Neighbour[] }): JSX.Element {
  const picture = NARROW.matches ? NARROW_PICTURE : WIDE_PICTURE;
  const { width, height } = picture;
  const near = all.slice(0, picture.most);
  // Two rings if one would be crowded; the positions of the outer ring lie between those of the inner ring.
  const inner = near.length <= IN_ONE_RING ? near.length : INNER_RING;
  const placed = near.map(({ node, count }, index) => {
    const isFar = index >= inner;
    const [place, places] = isFar ? [index - inner + 0.5, near.length - inner] : [index, inner];
    const angle = (place / places) * 2 * Math.PI - Math.PI / 2;
    return {
      node,
      count,
      x: width / 2 + Math.cos(angle) * picture[isFar ? 'outer' : 'inner'][0],
      y: height / 2 + Math.sin(angle) * picture[isFar ? 'outer' : 'inner'][1] - 6,
    };
  });
  const size = ({ memories }: Node): number => 7 + Math.min(13, Math.sqrt(memories) * 3.2);
  return (
    <div class="graph">
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`${nameOf(middle)} and connected entities`}>
        {placed.map(({ node, count, x, y }) => (
          <line
            key={node.id}
            x1={width / 2}
            y1={height / 2}
            x2={x}
            y2={y}
            class={count === 0 ? 'edge edge-loose' : 'edge'}
            stroke-width={1 + Math.min(4, count)}
          />
        ))}
        {placed.map(({ node, x, y }) => (
          <GraphNode key={node.id} node={node} x={x} y={y} radius={size(node)} />
        ))}
        <g class={`node node-middle node-${middle.kind}`}>
          <circle cx={width / 2} cy={height / 2} r={30} />
          <Name x={width / 2} y={height / 2 + 48} name={nameOf(middle)} />
        </g>
      </svg>
    </div>
  );
}

function GraphNode({ node, x, y, radius }: { node: Node; x: number; y: number; radius: number }): JSX.Element {
  const open = (): void => go(href('people', [node.id]));
  return (
    <g
      class={`node node-${node.kind}`}
      role="link"
      tabindex={0}
      aria-label={`${nameOf(node)}, ${plural(node.memories, 'memory', 'memories')}`}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          open();
        }
      }}
    >
      <circle cx={x} cy={y} r={radius + 12} class="node-ground" />
      <circle cx={x} cy={y} r={radius} />
      <Name x={x} y={y + radius + 14} name={nameOf(node)} />
    </g>
  );
}

/** A name on one line, or on two where it is long. */
function Name({ x, y, name }: { x: number; y: number; name: string }): JSX.Element {
  const middle = name.length <= ONE_LINE ? -1 : name.lastIndexOf(' ', Math.ceil(name.length / 2) + 3);
  const lines = middle < 1 ? [name] : [name.slice(0, middle + 1), name.slice(middle + 1)];
  return (
    <text text-anchor="middle">
      {lines.map((line, index) => (
        <tspan key={index} x={x} y={y + index * 14}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

const ONE_LINE = 16;

function Statements({ node }: { node: Node }): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    (signal) =>
      node.subject === null
        ? get<MemoryRows>('/v1/memory-rows', {
            scope: place,
            query: { text: node.label, order: 'stated', limit: 50 },
            signal,
          })
        : get<MemoryRows>('/v1/memory-rows', {
            scope: place,
            query: { subjects: [node.subject], order: 'stated', limit: 50 },
            signal,
          }),
    [node.id, place],
  );
  return (
    <Loaded query={query}>
      {({ items }) => (
        <div class="scrolling" tabIndex={0} role="region" aria-label="Statements">
          {items
            .filter((memory) => !isOfConversation(memory))
            .map((memory) => (
              <MemoryLink key={memory.id} memory={memory} />
            ))}
        </div>
      )}
    </Loaded>
  );
}
