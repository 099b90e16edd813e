import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverPlace, type ServerPlace, type ServerProcess, startServer } from './server-process.ts';

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

describe('what is watched is there', () => {
  let place: ServerPlace;
  let server: ServerProcess;
  let metrics: string;
  beforeAll(async () => {
    place = await serverPlace();
    server = await startServer(place);
    await server.call('GET', '/v1/stats');
    metrics = (await server.call('GET', '/metrics')).text;
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });
  const families = (): Set<string> => new Set([...metrics.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name ?? ''));

  it('every metric of the dashboard is answered by a server', () => {
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard;
    const asked = panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ expr }) => expr.match(/\b(?:varve|process|nodejs)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(12);
    const known = families();
    expect(asked.filter((name) => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([]);
  });

  it('every label that the dashboard groups by is on the samples', () => {
    for (const label of ['route', 'status', 'le'])
      expect(metrics).toMatch(new RegExp(`varve_http_\\w+\\{[^}]*\\b${label}="`));
  });

  it('the page names every metric of Varve’s own', () => {
    const page = read('docs/observability.md');
    const named = [...families()].filter((name) => name.startsWith('varve_'));
    const isNamed = (name: string): boolean =>
      page.includes(name) || (name.startsWith('varve_extraction_') && page.includes('varve_extraction_*'));
    expect(named.filter((name) => !isNamed(name))).toEqual([]);
  });

  it('the scrape configuration asks for the path that answers, with a key', async () => {
    const config = read('deploy/prometheus.yml');
    expect(config).toContain('metrics_path: /metrics');
    expect((await server.call('GET', '/metrics', { key: null })).status).toBe(401);
  });
});

describe('the Helm chart', () => {
  const chart = new URL('../deploy/helm/varve/', import.meta.url);
  const read = (file: string): string => readFileSync(new URL(file, chart), 'utf8');
  const templates = ['_helpers.tpl', 'server.yaml', 'worker.yaml', 'ingress.yaml'].map((file) =>
    read(`templates/${file}`),
  );
  const values = read('values.yaml');

  it('uses values that it has, and all of them', () => {
    const used = [...templates.join('\n').matchAll(/\.Values\.([a-z]+)(?:\.([a-zA-Z]+))?/gi)];
    const has = ([, group = '', field]: RegExpMatchArray): boolean =>
      new RegExp(field === undefined ? `^${group}:` : `^${group}:\\n(?:(?:[ #].*)?\\n)*?  ${field}:`, 'm').test(values);
    expect(used.filter((one) => !has(one)).map(([path]) => path)).toEqual([]);
    const groups = [...values.matchAll(/^([a-z]+):/gim)].map(([, group]) => group);
    expect(groups.filter((group) => !used.some(([, name]) => name === group))).toEqual([]);
  });

  it('starts the commands, the port and the paths that there are, with settings that the docs name', async () => {
    const text = templates.join('\n');
    const settings = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    for (const [name] of text.matchAll(/\bVARVE_[A-Z]+(?:_[A-Z]+)*|\bDATABASE_URL/g))
      expect(settings).toContain(`\`${name}`);
    expect(text).toContain('containerPort: 8787');
    const place = await serverPlace();
    const server = await startServer(place, {
      environment: { VARVE_ALLOWED_HOSTS: 'mem-varve' },
      parameters: ['--no-worker'],
    });
    for (const [, path = ''] of text.matchAll(/path: (\/[a-z]+)$/gm)) {
      expect((await server.call('GET', path, { key: null })).status).toBe(200);
    }
    await server.stop();
    await place.remove();
  });
});
