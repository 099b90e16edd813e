import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api.ts';
import { hueColor, typeHue } from '../hues.ts';
import type { Query } from '../use-query.ts';
import { visibleParts } from '../words.ts';

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

const PATHS = {
  memories: 'M5 6h14M5 12h14M5 18h9',
  mind: 'M12 4a6 6 0 0 0-6 6c0 2 .8 3.4 2 4.6V18h8v-3.4c1.2-1.2 2-2.6 2-4.6a6 6 0 0 0-6-6zM9.5 21h5',
  turn: 'M5 5h14v10H11l-4 4v-4H5z',
  sessions: 'M4 5h11v8H8l-4 3zM18 9h2v10l-4-3h-6v-1',
  timeline: 'M12 4v16M12 8h6M12 13H6M12 18h5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.6 2.6-6 6-6s6 2.4 6 6M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.300c2 .8 3.5 2.8 3.5 5.7',
  intentions: 'M12 21a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 8v5l3 2',
  facts: 'M6 4h12v17l-6-4-6 4z',
  review: 'M4 12l5 5L20 6',
  health: 'M3 13h4l2.5-7 5 13 2.5-6h4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  restore: 'M4 9h10a5 5 0 0 1 0 10H8M4 9l4-4M4 9l4 4',
  forget: 'M4 4l16 16M10 6c6-1.5 9.5 3 10.5 6a12 12 0 0 1-3 4.300M6 8c-1.6 1.2-2.5 2.8-3 4 1 3 4.5 7.2 10.5 5.7',
  erase: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M15 5l-7 7 7 7',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.600L7 7M17 17l1.4 1.400M18.4 5.600L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" />
      <path d="M7 10.500c3-2 6-2 9 0s6 2 9 0" class="layer-1" />
      <path d="M7 16.500c3-2 6-2 9 0s6 2 9 0" class="layer-2" />
      <path d="M7 22.500c3-2 6-2 9 0s6 2 9 0" class="layer-3" />
    </svg>
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

/** A view without data. The children say what would be here and how it comes to be. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <Logo />
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
    </div>
  );
}

/** Shows the data of a query, its error, or that it is loading. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: Query<Data>;
  children(data: Data): ComponentChildren;
}): JSX.Element {
  if (query.error !== null) return <Problem error={query.error} />;
  if (query.data === null) return <div class="loading" role="status" aria-label="Loading" />;
  return <>{children(query.data)}</>;
}

/** Shows the answer of a query for a list, or `empty` if the list has no items. */
export function LoadedList<Answer extends { items: readonly unknown[] }>({
  query,
  empty,
  children,
}: {
  query: Query<Answer>;
  empty: ComponentChildren;
  children(answer: Answer): ComponentChildren;
}): JSX.Element {
  return <Loaded query={query}>{(answer) => (answer.items.length === 0 ? empty : children(answer))}</Loaded>;
}

function Problem({ error }: { error: unknown }): JSX.Element {
  const isOutside = error instanceof ApiError && error.code === 'outside_scope';
  return (
    <div class="problem" role="alert">
      <strong>{isOutside ? 'This key has no access to that memory.' : 'The request failed.'}</strong>{' '}
      <Text of={messageOf(error)} />
    </div>
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
