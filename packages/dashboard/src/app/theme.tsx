import { useState } from 'react';

const KEY = 'parley-theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Applies the theme last chosen in this browser. Call it before the first render. */
export function restoreTheme(): void {
  apply(chosen());
}

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosen);
  return (
    <fieldset className="theme">
      <legend className="small muted">Theme</legend>
      {THEMES.map((one) => (
        <label key={one} className="check">
          <input
            type="radio"
            name="theme"
            checked={theme === one}
            onChange={() => {
              setTheme(one);
              apply(one);
              window.localStorage.setItem(KEY, one);
            }}
          />
          {one}
        </label>
      ))}
    </fieldset>
  );
}

function chosen(): Theme {
  const kept = window.localStorage.getItem(KEY);
  return THEMES.find((one) => one === kept) ?? 'system';
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}
