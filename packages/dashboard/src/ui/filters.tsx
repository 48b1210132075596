import { useId, useState, type ReactNode } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from './button.tsx';
import './field.css';
import './filters.css';
import { isOfInputMethod } from '../../../widget/src/text/input-method.ts';

export type Search = Record<string, string>;

/** Returns the filters in the address, and a function that changes them there. A copied link keeps the filters. */
export function useFilters(): [Search, (changed: Record<string, string | undefined>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = (changed: Record<string, string | undefined>): void => {
    // The address is read at the time of the navigation, because it may have changed since the last render.
    const next = (now: Search): Search => {
      const given = Object.entries({ ...now, ...changed }).filter(([, value]) => value);
      return Object.fromEntries(given) as Search;
    };
    void navigate({ to: '.', search: next, replace: true } as never);
  };
  return [search, set];
}

export function Filters({ children }: { children: ReactNode }) {
  return (
    <search className="filters" aria-label="Filters">
      {children}
    </search>
  );
}

/** Button that clears the named filters. Hidden while none of them is set. */
export function ClearFilters({ names }: { names: readonly string[] }) {
  const [search, set] = useFilters();
  if (!names.some((name) => search[name])) return null;
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <Button kind="quiet" onClick={() => set(none)}>
      Clear filters
    </Button>
  );
}

/**
 * A drop-down filter. If the address contains a value that is not among the options, the filter shows that value too,
 * so that people see why the list is filtered.
 */
export function SelectFilter({
  name,
  label,
  options,
  any = 'any',
}: {
  /** Name of the query parameter. */
  name: string;
  label: string;
  /** Choices of the filter. A `name` is shown unchanged; in a plain value, spaces replace underscores. */
  options: readonly (string | { value: string; name: string })[];
  /** Label of the option that does not filter. */
  any?: string;
}) {
  const [search, set] = useFilters();
  const id = useId();
  const chosen = search[name] ?? '';
  const isKnown = options.some((one) => (typeof one === 'string' ? one : one.value) === chosen);
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={chosen} onChange={({ target }) => set({ [name]: target.value })}>
        <option value="">{any}</option>
        {chosen === '' || isKnown ? null : <option value={chosen}>{chosen}</option>}
        {options.map((option) => {
          const { value, name: shown } =
            typeof option === 'string'
              ? { value: option, name: option.replaceAll('_', ' ') }
              : option;
          return (
            <option key={value} value={value}>
              {shown}
            </option>
          );
        })}
      </select>
    </div>
  );
}

const TYPED_MS = 300;

/** A text filter that applies when the person stops typing or presses Enter. */
export function TextFilter({
  name,
  label,
  placeholder,
}: {
  name: string;
  label: string;
  placeholder?: string;
}) {
  const [search, set] = useFilters();
  const given = search[name] ?? '';
  const [text, setText] = useState(given);
  const [seen, setSeen] = useState(given);
  const [timer, setTimer] = useState<ReturnType<typeof setTimeout>>();
  const id = useId();
  if (seen !== given) {
    // The back button or a link changed the address, so the field shows the new value.
    setSeen(given);
    setText(given);
  }
  const take = (value: string): void => {
    clearTimeout(timer);
    setSeen(value.trim());
    set({ [name]: value.trim() });
  };
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer);
          setTimer(setTimeout(() => take(target.value), TYPED_MS));
        }}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Enter' && !isOfInputMethod(nativeEvent)) take(text);
        }}
      />
    </div>
  );
}

/** A filter for a local time. The address contains Unix seconds, like the API. */
export function DateFilter({ name, label }: { name: string; label: string }) {
  const [search, set] = useFilters();
  const id = useId();
  return (
    <div className="filter filter-time">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={localTime(search[name])}
        onChange={({ target }) => set({ [name]: unixTime(target.value) })}
      />
    </div>
  );
}

/** Formats Unix seconds for `datetime-local` in the browser's time zone. In UTC, 1795402800 is `2026-11-23T03:00`. */
export function localTime(unixSec: string | number | undefined): string {
  const date = new Date(Number(unixSec ?? Number.NaN) * 1_000);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Converts a local time to Unix seconds, or returns undefined if it is incomplete. */
export function unixTime(local: string): string | undefined {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1_000));
}
