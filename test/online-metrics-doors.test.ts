import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTRACTION_CHECKS, ONLINE_METRICS } from '../src/operate/metric-definitions.ts';
import { answering, item, openForming, reading } from './form-model.ts';
import { startProtocolServer } from './protocol-server.ts';
import { runCli, type CliRun } from './run-cli.ts';
import { serverPlace, startServer, type ServerPlace, type ServerProcess } from './server-process.ts';

// The same store behind every interface: a reader has invented a third of its statements, and an agent asks for facts that it knows.

describe('online metrics and the checks of extraction', { timeout: 180_000 }, () => {
  let place: ServerPlace;
  let server: ServerProcess;
  const cli = (...words: string[]): Promise<CliRun> =>
    runCli(words, { environment: { VARVE_DATA: place.folder, VARVE_EMBEDDER: 'none' } });

  beforeAll(async () => {
    place = await serverPlace();
    const models = await startProtocolServer();
    const { varve, clock } = await openForming(
      { path: join(place.folder, 'varve.db') },
      { server: models, formation: { writes: 'deferred' } },
    );
    const said = item({ text: 'User keeps two goats.', turn: 1, quote: 'I keep two goats' });
    const invented = item({ text: 'User restores antique furniture.', turn: 1, quote: 'I saw the sea today' });
    for (let user = 0; user < 30; user += 1) {
      const statements = [user % 3 === 0 ? invented : said];
      models.otherwise({ chat: answering({ read: reading({ statements }) }) });
      const handle = varve.for({ user: `user-${user}`, session: 'talk' });
      await handle.observe([
        { content: 'I saw the sea today, and I keep two goats.', origin: 'user' },
        { content: 'I see.', origin: 'agent' },
      ]);
      await handle.form();
    }
    const ana = varve.for({ user: 'ana', session: 'second' });
    await varve.for({ user: 'ana' }).facts.set({ key: 'home_city', value: 'Ghent' });
    clock.advance(60_000);
    await ana.observe([
      { content: 'Find me a bakery.', origin: 'user' },
      { content: 'Gladly. Where do you live?', origin: 'agent' },
    ]);
    await ana.recordObservation('Ana lives in Ghent, as she had said.', 'correction');
    await varve.close();
    await models.close();
  });
  afterAll(async () => {
    await server?.stop();
    await place?.remove();
  });

  it('[T19] varve metrics shows every metric with its definition, and every check with its threshold', async () => {
    const { code, stdout } = await cli('metrics', '--user', '');
    expect(code).toBe(0);
    for (const { title, definition } of Object.values(ONLINE_METRICS)) {
      expect(stdout).toContain(title);
      expect(stdout).toContain(definition);
    }
    expect(stdout).toContain('Checks of the first 30 conversations');
    for (const check of Object.keys(EXTRACTION_CHECKS)) expect(stdout).toMatch(new RegExp(`^${check} `, 'm'));
    expect(stdout).toMatch(/^hallucinated +33\.3 % +of 30, at most [\d.]+ % +too many/m);
    const own = JSON.parse((await cli('metrics', '--user', 'ana', '--json')).stdout) as Record<string, unknown>;
    expect(own).toMatchObject({
      repeatQuestionRate: { rate: 1, of: 1 },
      correctionRate: { rate: 1, of: 1 },
      extraction: { conversations: 30 },
    });
  });

  it('[Q10] varve doctor finds hallucinated extractions, and says what to do', async () => {
    const { stdout, code } = await cli('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/extraction.*hallucinated 33 % of 30, at most [\d.]+ % is usual/);
    expect(stdout).toContain(EXTRACTION_CHECKS.hallucinated.remedy);
  });

  it('[Q10] [T19] the server reports the same, as JSON and as metrics of Prometheus', async () => {
    server = await startServer(place);
    const online = await server.call('GET', '/v1/online-metrics?user=ana');
    expect(online.body).toMatchObject({
      repeatQuestionRate: { rate: 1, of: 1 },
      repeated: [{ attribute: 'home_city' }],
    });
    const { body } = await server.call('GET', '/v1/extraction-checks');
    expect(body).toMatchObject({ conversations: 30 });
    expect(body.checks).toContainEqual(
      expect.objectContaining({ check: 'hallucinated', share: 1 / 3, of: 30, isAlert: true }),
    );
    const { text } = await server.call('GET', '/metrics');
    expect(text).toMatch(/^varve_extraction_checked_conversations(?:\{[^}]*\})? 30$/m);
    expect(text).toMatch(/^varve_extraction_alert\{[^}]*check="hallucinated"[^}]*\} 1$/m);
    expect(text).toMatch(/^varve_extraction_alert\{[^}]*check="duplicate"[^}]*\} 0$/m);
    expect(text).toMatch(/^varve_extraction_share\{[^}]*check="hallucinated"[^}]*\} 0\.333/m);
    for (const name of ['observation_rate', 'correction_rate', 'repeat_question_rate'])
      expect(text).toMatch(new RegExp(`^varve_${name}(?:\\{[^}]*\\})? [\\d.]+$`, 'm'));
    expect((await server.call('GET', '/v1/extraction-checks', { key: null })).status).toBe(401);
  });
});
