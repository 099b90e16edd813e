/** What stands for the placeholders of a path. */
export function pathExample(operation: string, parameter: string): string {
  if (parameter !== 'id') return PATH_EXAMPLES[parameter] ?? parameter;
  return `${ID_PREFIXES[operation] ?? 'mem'}_01jd00000000000000000000aa`;
}

const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  kind: 'profile',
  key: 'home_city',
  name: 'search_memory',
  time: '2026-01-31',
};

const ID_PREFIXES: Readonly<Record<string, string>> = {
  getEvent: 'evt',
  recordOutcome: 'evt',
  retrySetAside: 'evt',
  getEntity: 'ent',
  rotateKey: 'key',
  revokeKey: 'key',
  changeWebhook: 'whk',
  rotateWebhook: 'whk',
  removeWebhook: 'whk',
  pingWebhook: 'whk',
  listWebhookDeliveries: 'whk',
  redeliverWebhook: 'whd',
  getJob: 'job',
  retryJob: 'job',
  acceptHeldChange: 'run',
  rejectHeldChange: 'run',
};
