import type { MemoryLine, RecordLine } from '../operate/record-line.ts';
import { attributeLabel, attributeTable } from '../record/attribute-table.ts';
import { MEMORY_TYPES } from '../record/memory-types.ts';

/** Only `varve` is complete and can be imported again. The others are for other programs and for people. */
export const EXPORT_FORMATS = ['varve', 'mem0', 'markdown'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function writeExport(lines: AsyncIterable<RecordLine>, format: ExportFormat): AsyncGenerator<string> {
  if (format === 'mem0') return writeMem0(lines);
  return format === 'markdown' ? writeMarkdown(lines) : writeVarve(lines);
}

async function* writeVarve(lines: AsyncIterable<RecordLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** Formats for other programs include only live memories. */
export function isWritten(line: RecordLine, format: ExportFormat): boolean {
  return format === 'varve' || isLiveMemory(line);
}

function isLiveMemory(line: RecordLine): line is MemoryLine {
  return line.record === 'memory' && !line.archivedAt;
}

async function* liveMemories(lines: AsyncIterable<RecordLine>): AsyncGenerator<MemoryLine> {
  for await (const line of lines) if (isLiveMemory(line)) yield line;
}

async function* writeMem0(lines: AsyncIterable<RecordLine>): AsyncGenerator<string> {
  yield '{"results":[';
  let isFirst = true;
  for await (const { id, scope, data, createdAt, updatedAt } of liveMemories(lines)) {
    const record = {
      id,
      memory: data.title == null ? data.content : `${data.title}: ${data.content}`,
      user_id: scope.user ?? null,
      agent_id: scope.agent ?? null,
      run_id: data.sourceSession ?? null,
      categories: data.tags ?? [],
      metadata: { ...data.metadata, type: data.type, ...(data.attribute == null ? {} : { attribute: data.attribute }) },
      created_at: createdAt,
      updated_at: updatedAt ?? createdAt,
    };
    yield `${isFirst ? '' : ','}\n${JSON.stringify(record)}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

async function* writeMarkdown(lines: AsyncIterable<RecordLine>): AsyncGenerator<string> {
  const byOwner = new Map<string, MemoryLine[]>();
  for await (const line of liveMemories(lines)) {
    const owner = line.scope.user ?? (line.scope.agent == null ? 'everybody' : `agent ${line.scope.agent}`);
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), line]);
  }
  for (const [owner, memories] of [...byOwner].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield `# Memory of ${inLine(owner)}\n`;
    const isPermanent = ({ data }: MemoryLine): boolean => data.permanent === true;
    const sections = new Map([['Facts', memories.filter(isPermanent).map(factText).sort()]]);
    for (const line of memories.filter((memory) => !isPermanent(memory))) {
      const title = headingOf(line.data.type);
      sections.set(title, [...(sections.get(title) ?? []), memoryText(line)]);
    }
    for (const [title, texts] of sections) if (texts.length > 0) yield `\n## ${title}\n\n${texts.join('')}`;
    yield '\n';
  }
}

const attributes = attributeTable();

function factText({ data }: MemoryLine): string {
  if (data.attribute == null || data.value == null) return memoryText({ data } as MemoryLine);
  return `- **${attributeLabel(attributes, data.attribute)}**: ${inLine(data.value)}\n`;
}

function memoryText({ data }: MemoryLine): string {
  const date = data.statedAt === undefined ? '' : ` (${new Date(data.statedAt).toISOString().slice(0, 10)})`;
  if (data.url != null) return `- [${inLine(data.title ?? data.url)}](${data.url}): ${inLine(data.content)}\n`;
  if (data.title != null) return `### ${inLine(data.title)}\n\n${data.content.trim()}\n\n`;
  return `- ${inLine(data.content)}${date}\n`;
}

/** A type of the application gets its own name: "brew_note" → "Brew note". */
function headingOf(type: string): string {
  const words = type.replaceAll('_', ' ');
  return MEMORY_TYPES[type]?.heading ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
