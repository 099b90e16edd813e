/** A body for each operation that takes one, as someone would first send it. A test sends them all. */
export const BODY_EXAMPLES: Readonly<Record<string, unknown>> = {
  observe: { content: 'I moved to Oslo last month.' },
  recordObservation: { content: 'Prefers short answers.', category: 'preference' },
  updateUserContext: { scaffoldUpdates: { role: 'cook' }, persistentInfoAdditions: ['Works at night.'] },
  logInteraction: { userMessage: 'What is left to do?', agentResponse: 'Only the invoice.' },
  indexDocument: {
    content: 'The warranty ends in May 2027.',
    context: { type: 'user_persistent', source: 'user_provided' },
  },
  recordDecision: { content: 'Ship on Friday.', reason: 'The tests are green.' },
  recordOutcome: { content: 'No complaints.', effect: 'positive' },
  createMemory: { memory: { type: 'fact', content: 'Lives in Oslo.', attribute: 'home_city', value: 'Oslo' } },
  reviseMemory: { change: { content: 'Lives in Bergen.' }, why: { reason: 'corrected by the user' } },
  restoreMemory: { why: { reason: 'was right after all' } },
  supersedeMemory: { memory: { type: 'fact', content: 'Lives in Bergen.' } },
  setFact: { value: 'Oslo', category: 'location' },
  addNote: { title: 'Packing', content: 'Tent, stove, two maps.', tags: ['trip'] },
  addSavedItem: { title: 'Hardangervidda', url: 'https://example.org/hut', summary: 'A hut with twelve beds.' },
  addEntity: { type: 'person', name: 'Kari Nordmann', aliases: ['Kari'] },
  assembleContext: { message: 'Where should we meet?', budget: 4000 },
  createMemories: { memories: [{ type: 'fact', content: 'Has two cats.' }] },
  archiveMemories: { ids: ['mem_01k00000000000000000000000'] },
  recallMany: { queries: [{ query: 'where does she live?' }, { query: 'what does she like?' }] },
  recall: { query: 'where does she live?', options: { limit: 5 } },
  callTool: { query: 'where does she live?' },
  replaceBlock: { content: 'Lives in Oslo. Plans a trip across Hardangervidda.' },
  setSessionState: { activePreferences: ['metric units'] },
  learnOfConnection: { workspace: 'acme' },
  saveToolSchema: { schema: { tools: ['search', 'send'] } },
  addIntention: { text: 'Book the hut.', dueAt: '2027-03-01T09:00:00Z' },
  snoozeIntention: { until: '2027-03-08T09:00:00Z' },
  addLearning: { rule: 'Ask before sending a message.' },
  noteGiven: { memories: ['mem_01jd00000000000000000000aa'] },
  configureReflection: { timeZone: 'Europe/Oslo', reflectionHour: 3 },
  createWebhook: { url: 'https://example.org/hooks/varve', events: ['memory.created', 'memory.forgotten'] },
  changeWebhook: { enabled: false },
  createKey: { name: 'my app', access: 'write' },
  grantCredit: { amount: 5_000_000, reason: 'monthly' },
  erase: { confirm: 'ana' },
  import:
    '{"record":"event","id":"evt_01jd00000000000000000000aa","scope":{"user":"ana"},"data":{"content":"I moved to Oslo."}}',
};

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
