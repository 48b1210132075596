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
      hint="Lower-case letters, digits and hyphens; made up when empty. It never changes."
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

/** `Returns & refunds.md` → `returns-refunds`. */
export function nameFrom(fileName: string): string {
  const words = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join('-').slice(0, 63).replace(/-+$/, '');
}
