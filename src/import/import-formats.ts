interface FormatDescription {
  /** What the help of the command line calls the format. */
  title: string;
  /** The fields in which files of this format store lists of records, separated by spaces. */
  lists?: string;
}

export const FORMAT_DESCRIPTIONS = {
  varve: { title: 'Varve’s own export' },
  eden: { title: 'Eden’s older layout', lists: 'memory_sessions memory_user memory_agent facts sessions' },
  chatgpt: { title: 'the export of ChatGPT', lists: 'conversations' },
  claude: { title: 'the export of Claude', lists: 'conversations memories' },
  letta: {
    title: 'Letta (agent files and passages)',
    lists: 'agents blocks core_memory passages messages',
  },
  zep: { title: 'Zep and Graphiti', lists: 'edges nodes facts threads sessions messages' },
  supermemory: { title: 'Supermemory', lists: 'memories documents' },
  langgraph: { title: 'a LangGraph store', lists: 'items' },
  mem0: { title: 'mem0 (API and OSS dumps)', lists: 'results memories points data' },
  markdown: { title: 'notes in Markdown (CLAUDE.md, folders, Obsidian vaults)' },
  transcripts: {
    title: 'transcripts (JSONL, or lines such as “user: I live in Rome”)',
    lists: 'conversations messages threads',
  },
} as const;

export type FormatName = keyof typeof FORMAT_DESCRIPTIONS;

const DESCRIPTIONS: readonly FormatDescription[] = Object.values(FORMAT_DESCRIPTIONS);

export const FORMAT_TITLES: readonly string[] = DESCRIPTIONS.map(({ title }) => title);

/** The fields in which a file may store a list of records, in any format. */
export const LIST_FIELDS: ReadonlySet<string> = new Set(DESCRIPTIONS.flatMap(({ lists }) => lists?.split(' ') ?? []));
