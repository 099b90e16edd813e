import { elementsOf } from './json-elements.ts';
import type { SourceFile } from './import-source.ts';

/** Varve's own export: its lines as they are. */
export async function* readVarve(files: readonly SourceFile[]): AsyncGenerator<unknown> {
  for (const file of files) for await (const { value } of elementsOf(file)) yield value;
}
