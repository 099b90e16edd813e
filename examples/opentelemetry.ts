// OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node --import ./examples/opentelemetry.ts app.ts
// Sends the spans of all code in the process that uses @opentelemetry/api, Varve included, to a collector by OTLP over HTTP.
// For the server: NODE_OPTIONS="--import /path/to/opentelemetry.ts" varve serve. deploy/otel-collector.yaml configures a collector.

import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'varve' }),
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
});
trace.setGlobalTracerProvider(provider);

// The rest of the batch is sent before the process ends.
process.once('beforeExit', () => void provider.shutdown());
