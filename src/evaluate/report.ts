import { ARMS } from './arms.ts';
import { abstentionOf, compareArms, figuresOf, shown, shownInterval, shownWithInterval } from './figures.ts';
import type { Compared, Figure } from './figures.ts';
import { escaped, linePlot, whiskerPlot, type Whisker } from './plots.ts';
import { BUDGETS, MEASURES, METRICS, type Measure, type Row } from './row.ts';
import type { Run } from './run-file.ts';

/** Writes a run as one HTML page that opens offline: figures with intervals, plots, failures, and the definitions of all metrics. */
export function htmlReport(run: Run): string {
  const figures = figuresOf(run, { byKind: true });
  const [base = 'all'] = run.header.arms;
  const own = figures.filter(({ arm }) => arm === base);
  const whole = new Map(own.filter(({ kind }) => kind === null).map((figure) => [figure.metric, figure]));
  return page(
    `Varve on ${run.header.dataset}`,
    [
      heading(run),
      tiles(whole),
      ...MEASURES.map((measure) => measureSection(measure, own, run)),
      ablations(compareArms(run)),
      misses(run.rows.filter(({ arm }) => arm === base)),
      definitions(whole),
    ].join('\n'),
  );
}

function heading({ header, done }: Run): string {
  const { dataset, model, embedder, machine, node, startedAt, command, faults, conversations, varve } = header;
  const facts: [string, string][] = [
    ['Data', `${dataset}, ${done.length} of ${conversations.length} conversations`],
    ['Reader', model === 'local' ? 'the local reader, no language model' : model],
    ['Embedder', embedder],
    ['Date', startedAt.slice(0, 16).replace('T', ' ')],
    ['Machine', `${machine}, Node ${node.replace(/^v/, '')}${varve === '' ? '' : `, Varve ${varve}`}`],
  ];
  return `<header><p class="mark">Varve · evaluation</p><h1>${escaped(dataset)}</h1>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
${command === '' ? '' : `<p class="command"><code>${escaped(command)}</code></p>`}
${faults.length === 0 ? '' : `<p class="note">${faults.map(escaped).join(' ')}</p>`}</header>`;
}

const HEADLINES = 'kept stale useful recall@10 ndcg@5 evidence@2000 silentOnUnanswerable saved correct'.split(' ');

function tiles(figures: ReadonlyMap<string, Figure>): string {
  const cards = HEADLINES.flatMap((metric) => {
    const figure = figures.get(metric);
    if (figure === undefined) return [];
    const interval = shownInterval(metric, figure, `${figure.items} items`);
    return [
      `<div class="tile"><b>${shown(metric, figure.mean)}</b><span>${titleOf(metric)}</span><small>${interval}${METRICS[metric]?.better === 'lower' ? ' · lower is better' : ''}</small></div>`,
    ];
  });
  return `<section class="tiles">${cards.join('')}</section>`;
}

function titleOf(metric: string): string {
  return escaped(METRICS[metric]?.title ?? metric);
}

const TITLES: Record<Measure, string> = {
  extraction: 'What is kept',
  retrieval: 'What is found',
  scaffold: 'Facts of the user',
  consolidation: 'Documents',
  'cold-start': 'From an empty memory',
  'end-to-end': 'What reaches the prompt',
};

function measureSection(measure: Measure, figures: readonly Figure[], run: Run): string {
  // The confidence is the axis of the curve below, and its mean has no use.
  const own = figures.filter(({ metric }) => METRICS[metric]?.measure === measure && metric !== 'confidence');
  if (own.length === 0) return '';
  const rows = own
    .filter(({ kind }) => kind === null)
    .map((figure) => {
      const { title = '', better = 'none' } = METRICS[figure.metric] ?? {};
      const way = { higher: '↑', lower: '↓', none: '' }[better];
      return `<tr><th>${escaped(title)} <span class="way">${way}</span></th><td class="number">${shown(figure.metric, figure.mean)}</td><td class="interval">${shownInterval(figure.metric, figure, '–')}</td><td class="count">${figure.items.toLocaleString('en')}</td></tr>`;
    });
  const table = `<table><thead><tr><th></th><th class="number">mean</th><th class="interval">95 % interval</th><th class="count">items</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return `<section><h2>${TITLES[measure]}</h2>${table}${plotsOf(measure, own, run)}</section>`;
}

const BY_KIND: Partial<Record<Measure, string>> = {
  extraction: 'kept',
  retrieval: 'recall@10',
  'end-to-end': 'evidence@2000',
};

function plotsOf(measure: Measure, figures: readonly Figure[], run: Run): string {
  const metric = BY_KIND[measure];
  const kinds = figures.filter((figure) => figure.metric === metric && figure.kind !== null);
  const all = figures.find((figure) => figure.metric === metric && figure.kind === null);
  const plots: string[] = [];
  if (metric !== undefined && all !== undefined && kinds.length > 1) {
    const whiskers = [...kinds.toSorted((one, other) => other.mean - one.mean), all].map((figure): Whisker => ({
      ...figure,
      label: figure.kind ?? 'all',
      text: `${shown(metric, figure.mean)}   n ${figure.items}`,
      tone: figure.kind === null ? 'whole' : 'same',
    }));
    plots.push(figureOf(`${titleOf(metric)} by kind, with 95 % intervals`, whiskerPlot(whiskers, { from: 0, to: 1 })));
  }
  if (measure === 'retrieval') plots.push(abstentionPlot(run));
  if (measure === 'end-to-end') plots.push(budgetPlot(figures));
  return plots.join('');
}

function abstentionPlot(run: Run): string {
  const [base = 'all'] = run.header.arms;
  const curve = abstentionOf(run).find(({ arm }) => arm === base);
  if (curve === undefined) return '';
  const points = curve.points
    .map(({ threshold, silentOnAnswerable, silentOnUnanswerable }) => ({
      x: silentOnAnswerable,
      y: silentOnUnanswerable,
      label: `threshold ${threshold}: silent on ${shown('stale', silentOnUnanswerable)} of the unanswerable questions, wrongly silent on ${shown('stale', silentOnAnswerable)}`,
    }))
    .sort((one, other) => one.x - other.x);
  const [xTitle, yTitle] = ['wrongly silent', 'rightly silent'];
  return figureOf(
    `Abstention, a point for each threshold; area ${shown('stale', curve.area)} (.500 is chance)`,
    linePlot({ name: 'abstention', points, xTitle, yTitle, xs: [0, 0.2, 0.4, 0.6, 0.8, 1] }),
  );
}

function budgetPlot(figures: readonly Figure[]): string {
  const points = BUDGETS.flatMap((tokens) => {
    const figure = figures.find(({ metric, kind }) => metric === `evidence@${tokens}` && kind === null);
    if (figure === undefined) return [];
    const label = `${tokens} tokens: ${shownWithInterval(figure.metric, figure)}`;
    return [{ ...figure, x: tokens, y: figure.mean, label }];
  });
  if (points.length < 2) return '';
  const [name, xTitle, yTitle] = ['evidence in the prompt', 'tokens of the prompt', 'share of the evidence'];
  return figureOf(
    'Evidence in the prompt, by its budget',
    linePlot({ name, points, xTitle, yTitle, xs: BUDGETS, isLogarithmic: true }),
  );
}

function figureOf(caption: string, plot: string): string {
  return `<figure><figcaption>${caption}</figcaption>${plot}</figure>`;
}

const COMPARED = ['evidence@2000', 'recall@10', 'ndcg@5', 'kept', 'right', 'correct'];

function ablations(compared: readonly Compared[]): string {
  const plots = COMPARED.flatMap((metric) => {
    const rows = compared.filter((each) => each.metric === metric);
    if (rows.length === 0) return [];
    const ends = rows
      .flatMap(({ difference: { mean, low, high } }) => [mean, low, high])
      .filter((end) => !Number.isNaN(end));
    const reach = Math.max(0.05, ...ends.map(Math.abs));
    const whiskers = rows
      .toSorted((one, other) => one.difference.mean - other.difference.mean)
      .map(({ arm, difference, verdict, after }): Whisker => ({
        ...difference,
        label: arm,
        text: `${signed(metric, difference.mean)} → ${shown(metric, after.mean)}`,
        tone: verdict,
      }));
    const plot = whiskerPlot(whiskers, { from: -reach, to: reach, zero: 0 });
    return [figureOf(`${titleOf(metric)}: difference from all, with 95 % intervals`, plot)];
  });
  if (plots.length === 0) return '';
  const named = [...new Set(compared.map(({ arm }) => arm))].flatMap((arm) =>
    ARMS[arm] === undefined ? [] : [`<dt>${escaped(arm)}</dt><dd>${escaped(ARMS[arm].about)}</dd>`],
  );
  return `<section><h2>Ablations</h2><p class="note">Significant differences are coloured (p &lt; .05, paired permutation of conversations).</p>${plots.join('')}<dl class="defined">${named.join('')}</dl></section>`;
}

export function signed(metric: string, value: number): string {
  const size = shown(metric, Math.abs(value));
  return /[1-9]/.test(size) ? `${value < 0 ? '−' : '+'}${size}` : size;
}

const SHOWN_MISSES = 40;

function misses(rows: readonly Row[]): string {
  const lists: [string, Row[]][] = [
    ['Not kept', rows.filter(({ values }) => values['kept'] === 0)],
    ['Still in memory although it has ended', rows.filter(({ values }) => values['stale'] === 1)],
    ['Not useful', rows.filter(({ values }) => values['useful'] === 0)],
    ['Evidence not in 2,000 tokens', rows.filter(({ values }) => (values['evidence@2000'] ?? 1) < 1)],
    ['Answered wrongly', rows.filter(({ values }) => values['correct'] === 0)],
  ];
  const shownLists = lists
    .filter(([, found]) => found.length > 0)
    .map(([title, found]) => {
      const items = found.slice(0, SHOWN_MISSES).map(({ conversation, item, kind, detail = {} }) => {
        const text = detail['expected'] ?? detail['text'] ?? detail['question'] ?? '';
        const words = typeof text === 'string' ? text : JSON.stringify(text);
        return `<li><span class="where">${escaped(`${conversation} ${item} · ${kind}`)}</span>${escaped(words)}</li>`;
      });
      const rest = found.length - items.length;
      return `<details><summary>${title} <span class="count">${found.length.toLocaleString('en')}</span></summary><ul>${items.join('')}</ul>${rest > 0 ? `<p class="note">${rest.toLocaleString('en')} more are in the file of rows.</p>` : ''}</details>`;
    });
  return shownLists.length === 0 ? '' : `<section><h2>What went wrong</h2>${shownLists.join('')}</section>`;
}

function definitions(figures: ReadonlyMap<string, Figure>): string {
  const items = [...figures.keys()].map((metric) => {
    const { title = metric, definition = '' } = METRICS[metric] ?? {};
    return `<dt>${escaped(title)}</dt><dd>${escaped(definition)}</dd>`;
  });
  return `<section><h2>What the numbers mean</h2><dl class="defined">${items.join('')}</dl><p class="note">Intervals are 95 %, by bootstrap over whole conversations: questions of one conversation resemble each other. A question without evidence counts for abstention alone.</p></section>`;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2226;--soft:#5c666e;--faint:#dfe3e6;--paper:#fbfaf8;--card:#fff;--tone:#0b6e75;--band:#0b6e7524;--good:#1f7a3a;--bad:#b3372b}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ea;--soft:#9aa5ad;--faint:#333b41;--paper:#15191c;--card:#1d2327;--tone:#56b9c0;--band:#56b9c030;--good:#67c384;--bad:#ef8377}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
main{max-width:960px;margin:0 auto;padding:40px 24px 80px}h1{margin:0 0 20px;font-size:34px;letter-spacing:-.02em;line-height:1.15}h2{margin:0 0 14px;font-size:21px;letter-spacing:-.01em}
.mark{margin:0 0 4px;color:var(--tone);font-size:13px;font-weight:600;letter-spacing:.04em}.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:10px 28px;margin:0}
.facts dt{color:var(--soft);font-size:13px}.facts dd{margin:0}.command{margin:18px 0 0}code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--faint);padding:3px 7px;border-radius:5px;overflow-wrap:anywhere}
.note{color:var(--soft);font-size:14px}.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:12px;padding:0;border:0;background:none;margin:28px 0}
.tile{background:var(--card);border:1px solid var(--faint);border-radius:10px;padding:14px 16px}.tile b{display:block;font-size:28px;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums}.tile span{display:block;font-size:14px}.tile small{color:var(--soft);font-size:12.5px;font-variant-numeric:tabular-nums}
section{background:var(--card);border:1px solid var(--faint);border-radius:12px;padding:24px;margin:18px 0}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:7px 10px;border-bottom:1px solid var(--faint);text-align:left;font-weight:400}thead th{color:var(--soft);font-size:13px}table{table-layout:fixed}th:first-child{width:46%}tbody tr:last-child th,tbody tr:last-child td{border:0}.number,.count,.interval{text-align:right}td.number{font-weight:600}td.interval,td.count,.way,span.count{color:var(--soft)}
figure{margin:26px 0 0}figcaption{color:var(--soft);font-size:14px;margin-bottom:6px}svg{width:100%;height:auto;display:block}svg.small{max-width:540px}
.grid{stroke:var(--faint)}.zero{stroke:var(--soft);stroke-dasharray:3 3}.tick,.value,.axis,svg .label{fill:var(--soft);font-size:12.5px;font-variant-numeric:tabular-nums}svg .label{fill:var(--ink);font-size:13.5px}svg .label.whole{font-weight:600}.value{fill:var(--ink);white-space:pre}
.bar{stroke:var(--soft);stroke-width:2}.dot{fill:var(--soft)}.bar.whole,.path{stroke:var(--tone)}.dot.whole,.dot.line0{fill:var(--tone)}.bar.better{stroke:var(--good)}.dot.better{fill:var(--good)}.bar.worse{stroke:var(--bad)}.dot.worse{fill:var(--bad)}.path{fill:none;stroke-width:2}.band{fill:var(--band)}
details{border-top:1px solid var(--faint);padding:10px 0}details:first-of-type{border:0}summary{cursor:pointer;font-weight:500}ul{padding-left:0;list-style:none;margin:8px 0 0}li{padding:5px 0;font-size:14.5px;overflow-wrap:anywhere}.where{display:inline-block;min-width:190px;color:var(--soft);font-size:13px;margin-right:8px}
.defined dt{font-weight:500;margin-top:10px}.defined dd{margin:0;color:var(--soft);font-size:14.5px}
@media(max-width:600px){main{padding:24px 14px 60px}section{padding:16px}.where{display:block}}
`;

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body></html>
`;
}
