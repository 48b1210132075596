import { Field } from '../../ui/field.tsx';

/** The name of a new source. It never changes, because agents refer to it. */
export function NameField({
  name,
  error,
  onChange,
}: {
  name: string;
  error: string | undefined;
  onChange: (name: string) => void;
}) {
  return (
    <Field
      label="Name"
      hint="Lowercase letters, digits and hyphens. Leave empty to generate one. It can’t be changed later."
      error={error}
    >
      {(control) => (
        <input
          {...control}
          autoComplete="off"
          maxLength={63}
          value={name}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** Derives a source name from an address: `https://www.example.com/help` becomes `example-com`. */
export function nameFromUrl(url: string): string {
  // An incomplete address has no host yet, so its name is empty.
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
  // Adds a final dot, because `nameFrom` removes the text after the last dot as a file extension.
  return nameFrom(`${host}.`);
}

/** Derives a source name from a file name: `Returns & refunds.md` becomes `returns-refunds`. */
export function nameFrom(fileName: string): string {
  const words = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join('-').slice(0, 63).replace(/-+$/, '');
}
