import { attributeLabel, type AttributeTable } from '../record/attributes.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { VisibleBlock } from '../store/context-rows.ts';
import { blockItem, entryItems, factItem, jsonItem, memoryItem } from './items.ts';
import type { Knowledge } from './knowledge.ts';
import type { Item, Material } from './section.ts';

/** The sections that follow from what is known, without a look at the message. */
export function knownSections(knowledge: Knowledge, attributes: AttributeTable): Material {
  const { blocks, facts, memories, learnings, reflections } = knowledge;
  const own = (kind: VisibleBlock['kind']): VisibleBlock | undefined =>
    blocks.findLast((block) => block.kind === kind && block.connection === null && block.level !== 'session');
  const text = (kind: VisibleBlock['kind']): Item[] => {
    const block = own(kind);
    return typeof block?.content === 'string' && block.content.trim() !== ''
      ? [blockItem(block.id, block.content)]
      : [];
  };
  const scaffold = own('scaffold');
  return {
    facts: facts.map((fact) => factItem(fact, attributeLabel(attributes, fact.attribute ?? ''))),
    profile: text('profile'),
    workingMemory: text('working_memory'),
    scaffold: scaffold === undefined ? [] : entryItems(scaffold.id, scaffold.content),
    learnedInfo: blocks
      .filter(({ kind }) => kind === 'learned_info')
      .flatMap((block) => jsonItem(block.id, block.content, block.connection ?? undefined) ?? []),
    learnings: learnings.map((learning) => memoryItem(learning)),
    memories: memories.map((memory, rank) => memoryItem(memory, -rank)),
    agentReflections: reflectionsOf('agent', blocks, reflections),
    userReflections: reflectionsOf('user', blocks, reflections),
    sessionReflections: reflectionsOf('session', blocks, reflections),
  };
}

/** The merged text of a level, and what waits to be merged into it. */
function reflectionsOf(level: ScopeLevel, blocks: readonly VisibleBlock[], waiting: readonly Memory[]): Item[] {
  const merged = blocks.findLast((block) => block.kind === 'reflections' && block.level === level);
  const recent = waiting.filter((reflection) => levelOf(reflection) === level);
  return [
    ...(typeof merged?.content === 'string' && merged.content.trim() !== ''
      ? [{ ...blockItem(merged.id, merged.content), score: Infinity }]
      : []),
    ...recent.map((reflection, index) => ({ ...memoryItem(reflection, index), label: 'recent' })),
  ];
}

function levelOf({ scope }: Memory): ScopeLevel {
  if (scope.session !== null) return 'session';
  if (scope.user !== null) return 'user';
  return scope.agent === null ? 'tenant' : 'agent';
}
