import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { hueColor, typeHue } from '../hues.ts';
import { visibleParts } from '../words.ts';
import { Icon, type IconName } from './icons.tsx';

/** Stored text. It is rendered as text nodes only; invisible characters are shown by their code points. */
export function Text({ of: text }: { of: string }): JSX.Element {
  return (
    <>
      {visibleParts(text).map(({ text: part, isHidden }, index) =>
        isHidden ? (
          <span key={index} class="hidden-character" title="An invisible character">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  );
}

export function Badge({ children, tone = 'plain' }: { children: ComponentChildren; tone?: string }): JSX.Element {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** A memory type in its colour. */
export function TypeBadge({ type }: { type: string }): JSX.Element {
  return (
    <span class="badge">
      <Swatch hue={typeHue(type)} />
      {type.replaceAll('_', ' ')}
    </span>
  );
}

export function Swatch({ hue }: { hue: number }): JSX.Element {
  return <span class="swatch" style={{ background: hueColor(hue) }} />;
}

export function Button({
  icon,
  children,
  kind = 'plain',
  ...rest
}: {
  icon?: IconName;
  children?: ComponentChildren;
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
} & Omit<JSX.IntrinsicElements['button'], 'icon'>): JSX.Element {
  return (
    <button type="button" {...rest} class={`button button-${kind} ${children === undefined ? 'button-icon' : ''}`}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children === undefined ? null : <span>{children}</span>}
    </button>
  );
}

/** A small button that is on or off. */
export function Chip({
  isOn,
  onClick,
  children,
}: {
  isOn: boolean;
  onClick(): void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
      {children}
    </button>
  );
}

export function Panel({
  title,
  aside,
  children,
  level = 2,
}: {
  title?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  level?: 2 | 3;
}): JSX.Element {
  const Heading = `h${level}` as 'h2';
  return (
    <section class="panel">
      {title === undefined ? null : (
        <header class="panel-head">
          <Heading>{title}</Heading>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** A list of names and values. */
export function Fields({ rows }: { rows: readonly (readonly [string, ComponentChildren] | null)[] }): JSX.Element {
  return (
    <dl class="fields">
      {rows
        .filter((row) => row !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A table, which scrolls sideways where it is too wide. In a table of numbers all columns but the first are numbers. */
export function Table({
  label,
  columns,
  kind,
  children,
}: {
  label: string;
  columns: readonly string[];
  kind?: 'numbers' | 'side-by-side';
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A share from 0 to 1 as a bar. */
export function Meter({ share, label }: { share: number; label: string }): JSX.Element {
  const clean = Math.max(0, Math.min(1, share));
  return (
    <span class="meter" role="img" aria-label={label}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="6" rx="3" class="meter-ground" />
        <rect width={clean * 100} height="6" rx="3" class="meter-value" />
      </svg>
    </span>
  );
}

export interface Tab {
  id: string;
  title: ComponentChildren;
}

/** Tabs of a page: arrow keys move between them. */
export function Tabs({
  tabs,
  current,
  onChange,
  label,
}: {
  tabs: readonly Tab[];
  current: string;
  onChange(id: string): void;
  label: string;
}): JSX.Element {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.id);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          role="tab"
          data-tab={id}
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** A dialog that asks before an action that cannot be undone. With `confirm` the user has to type that text. */
export function Dialog({
  title,
  children,
  action,
  confirm,
  kind = 'danger',
  onAct,
  onClose,
}: {
  title: string;
  children: ComponentChildren;
  action: string;
  confirm?: string;
  kind?: 'danger' | 'primary';
  onAct(): void;
  onClose(): void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-text">{children}</div>
      {confirm === undefined ? null : (
        <label class="field">
          <span>
            Type <strong>{confirm}</strong> to continue
          </span>
          <input value={typed} onInput={(event) => setTyped(event.currentTarget.value)} autocomplete="off" />
        </label>
      )}
      <div class="dialog-actions">
        <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        <Button
          kind={kind}
          disabled={confirm !== undefined && typed !== confirm}
          onClick={() => {
            dialog.current?.close();
            onAct();
          }}
        >
          {action}
        </Button>
      </div>
    </dialog>
  );
}

/** Figures side by side, each with its name and a hint. */
export function Tiles({ tiles }: { tiles: readonly (readonly [string, string, string?])[] }): JSX.Element {
  return (
    <dl class="tiles">
      {tiles.map(([name, value, hint]) => (
        <div key={name} title={hint}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
