import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { serverPlace, startServer } from './server-process.ts';

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: { name: string; attributes: { key: string }[] }[] }[];
  }[];
}

it(
  'the spans of a server reach a collector through the example, and contain no content',
  { timeout: 60_000 },
  async () => {
    const received: Exported[] = [];
    const arrived = Promise.withResolvers<void>();
    // A collector for the exporter: OTLP over HTTP in JSON.
    const collector = createServer((request, response) => {
      expect(request.url).toBe('/v1/traces');
      const take = async (): Promise<void> => {
        received.push((await json(request)) as Exported);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        arrived.resolve();
      };
      void take();
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const place = await serverPlace();
    const example = fileURLToPath(new URL('../examples/opentelemetry.ts', import.meta.url));
    const server = await startServer(place, {
      environment: {
        NODE_OPTIONS: `--import ${example}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_SERVICE_NAME: 'memory',
      },
    });
    try {
      const at = '?user=ana&session=s';
      await server.call('POST', `/v1/events${at}`, { body: { content: 'I play the xylophone.' } });
      expect((await server.call('POST', `/v1/recall${at}`, { body: { query: 'the xylophone' } })).status).toBe(200);
      expect((await server.call('POST', `/v1/context${at}`, { body: { message: 'the xylophone?' } })).status).toBe(200);
      // The batch would be sent after five seconds; it is also sent when the process ends.
      await server.stop();
      await arrived.promise;
      const [{ resource, scopeSpans } = { resource: { attributes: [] }, scopeSpans: [] }] =
        received[0]?.resourceSpans ?? [];
      expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'memory' } });
      const names = scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name));
      expect(names.join()).toMatch(/search_memory/);
      expect(JSON.stringify(received)).not.toContain('xylophone');
    } finally {
      await server.stop();
      await place.remove();
      collector.closeAllConnections();
      collector.close();
    }
  },
);
