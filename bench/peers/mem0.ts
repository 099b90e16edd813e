import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Peer } from './peer.ts';

interface Mem0 {
  add(messages: unknown, options: object): Promise<{ results: { id: string }[] }>;
  search(query: string, options: object): Promise<{ results: { id: string; metadata?: { turn?: string } }[] }>;
}

/** mem0 with `infer: false`, so that it stores texts unchanged and needs no API key. It uses the same embedder, in its own vector store. */
export const peer: Peer = {
  name: 'mem0',
  // Version 13 of better-sqlite3 contains its binaries; the version that mem0 requires downloads them during the installation.
  install:
    'npm install --prefix FOLDER --no-save --no-audit --no-fund --legacy-peer-deps mem0ai@3.3.1 better-sqlite3@13',
  async open({ folder, modules, embedder, user }) {
    // Turns off the telemetry of mem0.
    process.env['MEM0_TELEMETRY'] = 'false';
    const entry = createRequire(join(modules, 'x.js')).resolve('mem0ai/oss');
    const { Memory } = (await import(pathToFileURL(entry).href)) as { Memory: new (config: object) => Mem0 };
    const model = {
      embedQuery: async (text: string) => Array.from((await embedder.embed([text])).vectors[0] ?? []),
      embedDocuments: async (texts: string[]) =>
        (await embedder.embed(texts)).vectors.map((vector) => Array.from(vector)),
    };
    const memory = new Memory({
      embedder: { provider: 'langchain', config: { model } },
      vectorStore: {
        provider: 'memory',
        config: { collectionName: 'bench', dimension: embedder.dimensions, dbPath: join(folder, 'mem0.db') },
      },
      // The model is created but never called, because `infer` is off.
      llm: { provider: 'openai', config: { apiKey: 'none' } },
      historyDbPath: join(folder, 'mem0-history.db'),
      disableHistory: true,
    });
    return {
      async add(turns) {
        for (const { id, role, text } of turns)
          await memory.add([{ role, content: text }], { userId: user, infer: false, metadata: { turn: id } });
      },
      async search(query, limit) {
        const { results } = await memory.search(query, { filters: { user_id: user }, topK: limit });
        return results.flatMap(({ metadata }) => metadata?.turn ?? []);
      },
      close: async () => {},
    };
  },
};
