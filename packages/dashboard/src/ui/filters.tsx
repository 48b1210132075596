import { useId, useState, type ReactNode } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import './field.css';
import './filters.css';
import { isOfInputMethod } from '../../../widget/src/text/input-method.ts';

export type Search = Record<string, string>;

/** The filters of this page, as the address has them, so that a link shows what you see. */
export function useFilters(): [Search, (changed: Record<string, string | undefined>) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = (changed: Record<string, string | undefined>): void => {
    // What the address has by then: somebody who waited may have an older one.
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

/** One of a few values, or any. */
export function SelectFilter({
  name,
  label,
  options,
  any = 'any',
}: {
  /** Of the parameter. */
  name: string;
  label: string;
  /** A name is shown as it is, a bare value with spaces. */
  options: readonly (string | { value: string; name: string })[];
  /** What is shown where nothing is chosen. */
  any?: string;
}) {
  const [search, set] = useFilters();
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={search[name] ?? ''}
        onChange={({ target }) => set({ [name]: target.value })}
      >
        <option value="">{any}</option>
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

/** A text, taken over when the person pauses or presses Enter. */
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
    // The address changed by itself: back, or a link.
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

/** A moment of the person's own clock; the address has it in Unix seconds, as the API does. */
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

/** `1795402800` → `2026-11-22T11:00`, as `datetime-local` wants it. */
export function localTime(unixSec: string | number | undefined): string {
  const date = new Date(Number(unixSec ?? Number.NaN) * 1_000);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** The other way; undefined: it is no time yet. */
export function unixTime(local: string): string | undefined {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1_000));
}
