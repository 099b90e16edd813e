import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Dialog } from '../components/basics.tsx';
import { archive, erase, isPinned, restore, revise, togglePin } from '../memory-actions.ts';
import { isAdmin, mayWrite } from '../state.ts';
import type { Memory } from '../types.ts';
import { label } from '../words.ts';

/** The buttons that change a memory. `onGone` is called when it was erased. */
export function Actions({ memory, onGone }: { memory: Memory; onGone(): void }): JSX.Element | null {
  const [mode, setMode] = useState<'read' | 'edit' | 'erase'>('read');
  const isArchived = memory.archivedAt !== null;
  if (!mayWrite.value) return null;
  if (mode === 'edit') return <Edit memory={memory} onDone={() => setMode('read')} />;
  return (
    <div class="actions" role="group" aria-label="Actions">
      {isArchived ? (
        <Button icon="restore" onClick={() => void restore(memory)}>
          Restore
        </Button>
      ) : (
        <>
          <Button icon="edit" onClick={() => setMode('edit')}>
            Edit
          </Button>
          <Button icon="pin" aria-pressed={isPinned(memory)} onClick={() => void togglePin(memory)}>
            {isPinned(memory) ? 'Unpin' : 'Pin'}
          </Button>
          <Button icon="archive" onClick={() => void archive(memory, 'pruned')}>
            Archive
          </Button>
          <Button icon="forget" onClick={() => void archive(memory, 'forgotten')}>
            Forget
          </Button>
        </>
      )}
      {isAdmin.value ? (
        <Button icon="erase" kind="danger" onClick={() => setMode('erase')}>
          Erase
        </Button>
      ) : null}
      {mode === 'erase' ? (
        <Dialog
          title="Erase this memory for good?"
          action="Erase"
          onClose={() => setMode('read')}
          onAct={() => void erase(memory).then((done) => (done ? onGone() : undefined))}
        >
          <p>
            The memory, its versions and the records that were derived from it alone are removed. This cannot be undone.
            To hide the memory instead, choose Forget.
          </p>
        </Dialog>
      ) : null}
    </div>
  );
}

function Edit({ memory, onDone }: { memory: Memory; onDone(): void }): JSX.Element {
  const [content, setContent] = useState(memory.content);
  const [value, setValue] = useState(memory.value ?? '');
  const [importance, setImportance] = useState(memory.importance);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const save = (): void => {
    const change: Partial<Memory> = {
      ...(content === memory.content ? {} : { content }),
      ...(value === (memory.value ?? '') ? {} : { value: value === '' ? null : value }),
      ...(importance === memory.importance ? {} : { importance }),
    };
    if (Object.keys(change).length === 0) return onDone();
    return void revise(memory, change, 'Changed.').then((done) => (done ? onDone() : undefined));
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
      }}
    >
      <label class="field">
        <span>The statement as a sentence</span>
        <textarea ref={box} rows={3} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      {memory.attribute === null ? null : (
        <label class="field">
          <span>Value of {label(memory.attribute).toLowerCase()}</span>
          <input value={value} onInput={(event) => setValue(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        <span>Importance {importance.toFixed(2)}</span>
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          value={importance}
          onInput={(event) => setImportance(Number(event.currentTarget.value))}
        />
      </label>
      <div class="actions">
        <Button kind="primary" type="submit">
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
