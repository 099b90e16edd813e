// OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node --import ./examples/opentelemetry.ts app.ts
// Spans of everything in the process that speaks @opentelemetry/api, Varve included, go to a collector by OTLP over HTTP.
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

// What is still in the batch goes out before the process ends.
process.once('beforeExit', () => void provider.shutdown());
