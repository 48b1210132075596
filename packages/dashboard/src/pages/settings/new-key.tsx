import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldError, ok, parley } from '../../data/parley.ts';
import { useMe, type Scope } from '../../data/me.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { SCOPES } from './key.ts';
import { ShownOnce } from './shown-once.tsx';

const DAY_SEC = 86_400;
const ENDS = [
  { days: 0, name: 'never' },
  { days: 1, name: 'in a day' },
  { days: 30, name: 'in 30 days' },
  { days: 365, name: 'in a year' },
];

/** Creates a key, and shows it once. A session can only grant scopes that it has itself. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const { scopes: own } = useMe();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState(0);
  const making = useMutation({
    mutationFn: async () => {
      const ends = days > 0 && { expires_at: Math.floor(Date.now() / 1_000) + days * DAY_SEC };
      return ok(parley.POST('/v1/api_keys', { body: { name, scopes: [...scopes], ...ends } }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (making.data)
    return <ShownOnce apiKey={making.data.key} title="The new key" onClose={onClose} />;
  const toggle = (scope: Scope): void => {
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  };
  return (
    <Dialog title="Create key" isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <Field
          label="Name"
          hint="Helps you recognize the key later"
          error={fieldError(making.error, '/name')}
        >
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <fieldset className="choices">
          <legend>Scopes</legend>
          {SCOPES.map(({ scope, may }) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={!own.includes(scope)}
                onChange={() => toggle(scope)}
              />
              <span>
                <code>{scope}</code>{' '}
                <span className="muted small">
                  {own.includes(scope) ? may : 'your key lacks this scope'}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Expires" error={fieldError(making.error, '/expires_at')}>
          {(control) => (
            <select
              {...control}
              value={days}
              onChange={({ target }) => setDays(Number(target.value))}
            >
              {ENDS.map((end) => (
                <option key={end.days} value={end.days}>
                  {end.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {making.error ? <TroubleNote error={making.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={making.isPending}
            disabled={scopes.length === 0}
          >
            Create the key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
