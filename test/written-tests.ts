import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';

/** A test or a group of tests in the source, whether it is run or skipped. */
export interface WrittenTest {
  file: string;
  /** The title as written, with `%s`, `$name` or `${…}` where it has parameters. */
  title: string;
  /** The requirements that the title and the enclosing titles cite. */
  ids: string[];
  asserts: boolean;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const ID = /\[([A-Z]\d+)\]/g;
const NAMES = new Set(['it', 'test', 'describe']);

/** A title without the ids that it cites. */
export function titleWithoutIds(title: string): string {
  return title.replaceAll(/\[[A-Z]\d+\] /g, '');
}

/** The tests and groups of all test files. */
export function writtenTests(): WrittenTest[] {
  return globSync('{src,test}/**/*.test.ts').flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const found: WrittenTest[] = [];
    const walk = (value: unknown, outer: readonly string[]): void => {
      if (Array.isArray(value)) for (const each of value) walk(each, outer);
      if (!isNode(value)) return;
      const title = titleOf(value, source);
      const ids = title === null ? outer : [...outer, ...[...title.matchAll(ID)].map(([, id = '']) => id)];
      if (title !== null) {
        const asserts = /\bexpect\b|\bassert\(/.test(source.slice(value.start, value.end));
        found.push({ file, title, ids: [...ids], asserts });
      }
      for (const key in value) if (key !== 'type') walk(value[key], ids);
    };
    walk(parseSync(file, source).program, []);
    return found;
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** The title, if a node calls `it(title, …)`, `describe.skipIf(…)(title, …)` or similar. */
function titleOf(node: Node, source: string): string | null {
  if (node.type !== 'CallExpression') return null;
  let callee: unknown = node['callee'];
  while (isNode(callee) && callee.type !== 'Identifier') callee = callee['object'] ?? callee['callee'] ?? callee['tag'];
  if (!isNode(callee) || !NAMES.has(String(callee['name']))) return null;
  const [title] = node['arguments'] as Node[];
  if (title === undefined || !['Literal', 'TemplateLiteral'].includes(title.type)) return null;
  return typeof title['value'] === 'string' ? title['value'] : source.slice(title.start + 1, title.end - 1);
}
