import type { JSX } from 'preact';
import { EXTRACTION_CHECKS, ONLINE_METRICS } from '../../../src/operate/metric-definitions.ts';
import { get } from '../api.ts';
import { Panel, Tiles } from '../components/basics.tsx';
import { Empty, Loaded } from '../components/loaded.tsx';
import { Chart, columnsFrom, counted, type Series } from '../components/chart.tsx';
import { ARCHIVED_AS } from '../components/memory-bits.tsx';
import { reasonHue, typeHue } from '../hues.ts';
import { href, isOperator, scope } from '../state.ts';
import type { Counts, Extraction, Growth, Metrics } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { label, number, percent, plural } from '../words.ts';

/** The memories that were learned and archived by day, and the quality of memory in use. */
export function GrowthTab(): JSX.Element {
  const place = scope.value;
  const growth = useQuery((signal) => get<Growth>('/v1/growth', { scope: place, signal }), [place]);
  const counts = useQuery((signal) => get<Counts>('/v1/stats', { scope: place, signal }), [place]);
  const metrics = useQuery((signal) => get<Metrics>('/v1/online-metrics', { scope: place, signal }), [place]);
  const extraction = useQuery(
    isOperator.value ? (signal) => get<Extraction>('/v1/extraction-checks', { signal }) : null,
    [],
  );
  return (
    <>
      <Loaded query={counts}>{(found) => <CountTiles found={found} />}</Loaded>
      <Loaded query={growth}>{(found) => <GrowthCharts found={found} />}</Loaded>
      <Loaded query={metrics}>{(found) => <MetricsPanel found={found} />}</Loaded>
      {isOperator.value ? <Loaded query={extraction}>{(found) => <ChecksPanel found={found} />}</Loaded> : null}
    </>
  );
}

function CountTiles({ found }: { found: Counts }): JSX.Element {
  return (
    <>
      <Tiles
        tiles={[
          ['Live memories', number(found.memories)],
          ['Out of recall', number(found.memoriesArchived)],
          ['Turns and events', number(found.events)],
          ['Conversations', number(found.sessions)],
          ['People and things', number(found.entities)],
          ['Waiting to be read', number(found.eventsWaiting)],
          ['Waiting for a vector', number(found.vectorsWaiting)],
        ]}
      />
      {found.heldChanges === 0 ? null : (
        <p>
          <a href={href('review')}>
            {plural(found.heldChanges, 'change')} of documents wait for review: they would remove statements that are
            still true.
          </a>
        </p>
      )}
    </>
  );
}

function GrowthCharts({ found: { learned, archived } }: { found: Growth }): JSX.Element {
  if (learned.length === 0) {
    return (
      <Empty title="Nothing has been learned yet">
        <p>The number of memories by day appears here as soon as the first one is formed.</p>
      </Empty>
    );
  }
  return (
    <>
      <Panel title="Memories by type, over time">
        <Chart kind="area" label="Memories learned so far, by type" {...cumulative(learned)} format={number} />
      </Panel>
      <Panel title="Memories that went out of recall">
        {archived.length === 0 ? (
          <p class="muted">Nothing yet.</p>
        ) : (
          <Chart
            kind="bars"
            label="Memories that went out of recall, by reason"
            {...forgetting(archived)}
            format={number}
          />
        )}
      </Panel>
    </>
  );
}

/** The online metrics, each with its definition as a tooltip. */
function MetricsPanel({ found }: { found: Metrics }): JSX.Element {
  const hint = (name: string): string =>
    `${ONLINE_METRICS[name]?.definition ?? ''} ${ONLINE_METRICS[name]?.healthy ?? ''}`;
  const title = (name: string): string => ONLINE_METRICS[name]?.title ?? name;
  const each = (rate: number | null): string => (rate === null ? '–' : `${rate.toFixed(1)} a conversation`);
  const { curve, keys } = found.scaffold;
  return (
    <Panel title="Quality of memory in use">
      <Tiles
        tiles={[
          ['contextUtilisation', percent(found.contextUtilisation.rate)] as const,
          ['observationRate', each(found.observationRate.rate)] as const,
          ['statementRate', each(found.statementRate.rate)] as const,
          ['scaffold', keys === null ? '–' : `${keys.toFixed(1)} keys`] as const,
          ['correctionRate', percent(found.correctionRate.rate)] as const,
          ['repeatQuestionRate', percent(found.repeatQuestionRate.rate)] as const,
        ].map(([name, value]) => [title(name), value, hint(name)] as const)}
      />
      {curve.length < 2 ? null : (
        <Chart
          kind="line"
          label="Keys of a scaffold, on average over users"
          // Charts end one column after the last day.
          days={[...curve.map(({ day }) => day), new Date().toISOString().slice(0, 10)]}
          series={[{ name: 'Keys of a scaffold', hue: 0, values: [...curve.map((point) => point.keys), null] }]}
          format={(value) => value.toFixed(1)}
        />
      )}
      {found.refused.length === 0 ? null : (
        <p class="muted">
          Refused:{' '}
          {found.refused.map(({ reason, count }) => `${reason.replaceAll('_', ' ')} ${number(count)}`).join(', ')}.
        </p>
      )}
    </Panel>
  );
}

function ChecksPanel({ found }: { found: Extraction }): JSX.Element {
  const alerts = found.checks.filter(({ isAlert }) => isAlert);
  return (
    <Panel title="Checks of the first conversations">
      <Tiles
        tiles={found.checks.map(({ check, share, of, threshold }) => [
          label(check),
          percent(share),
          `${EXTRACTION_CHECKS[check].definition} Of ${number(of)}; at most ${percent(threshold)} is usual.`,
        ])}
      />
      <p class="muted">
        {alerts.length === 0
          ? `The first ${number(found.conversations)} conversations look right.`
          : `Too many: ${alerts.map(({ check }) => `${label(check).toLowerCase()} (${EXTRACTION_CHECKS[check].remedy})`).join(', ')}.`}
      </p>
    </Panel>
  );
}

function cumulative(learned: Growth['learned']): { days: string[]; series: Series[] } {
  const { days, columnOf } = columnsFrom(learned.map(({ day }) => day));
  const totals = Map.groupBy(learned, ({ type }) => type);
  const series = [...totals]
    .map(([type, rows]) => {
      const byDay = counted(rows, columnOf);
      let sum = 0;
      return { name: label(type), hue: typeHue(type), values: days.map((day) => (sum += byDay.get(day) ?? 0)) };
    })
    .sort((one, other) => (other.values.at(-1) ?? 0) - (one.values.at(-1) ?? 0));
  return { days, series };
}

function forgetting(archived: Growth['archived']): { days: string[]; series: Series[] } {
  const { days, columnOf } = columnsFrom(archived.map(({ day }) => day));
  const series = [...Map.groupBy(archived, ({ reason }) => reason)].map(([reason, rows]) => {
    const byDay = counted(rows, columnOf);
    return {
      name: ARCHIVED_AS[reason] ?? reason,
      hue: reasonHue(reason),
      values: days.map((day) => byDay.get(day) ?? 0),
    };
  });
  return { days, series };
}
