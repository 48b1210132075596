import type { ReactNode } from 'react';
import { fieldErrors, isCode, ParleyError } from '../../../data/parley.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { NameField } from '../name-field.tsx';
import { PLACES, type FetchedDraft, type FetchedType } from '../../../data/fetched-draft.ts';
import { LinesField, TextField } from './fetched-fields.tsx';

/** Returns the props of a field that shows one value of the draft. */
type FieldOf = (
  name: keyof FetchedDraft,
  pointer?: string,
) => { value: string; error: string | undefined; onChange: (value: string) => void };

/** The form of a website or feed source, new or existing. Errors without a field appear at the bottom. */
export function FetchedForm({
  type,
  isNew,
  draft,
  onChange,
  notice,
  error,
  action,
  isBusy,
  canSend,
  onSend,
  onClose,
}: {
  type: FetchedType;
  isNew?: boolean;
  draft: FetchedDraft;
  onChange: (draft: FetchedDraft) => void;
  /** Content above the fields. */
  notice?: ReactNode;
  error: unknown;
  /** Label of the submit button. */
  action: string;
  isBusy: boolean;
  canSend: boolean;
  onSend: () => void;
  onClose: () => void;
}) {
  const field: FieldOf = (name, pointer = '') => ({
    value: draft[name],
    error: pointer === '' ? undefined : wrongAt(error, pointer),
    onChange: (value) => onChange({ ...draft, [name]: value }),
  });
  const { value: name, ...named } = field('name', '/name');
  const nameField = isNew ? <NameField name={name} {...named} /> : null;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {notice}
      {type === 'website' ? (
        <WebsiteFields field={field} name={nameField} />
      ) : (
        <IntegrationFields field={field} name={nameField} />
      )}
      <TextField
        label="Schedule"
        hint="@hourly, @daily, @weekly, @monthly, or a five-field cron expression in UTC. Leave empty to sync only on request."
        {...field('schedule', '/schedule')}
      />
      {error && !isShown(error, PLACES[type]) ? <TroubleNote error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          kind="primary"
          isBusy={isBusy}
          disabled={!canSend || draft.url.trim() === ''}
        >
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

function WebsiteFields({ field, name }: { field: FieldOf; name: ReactNode }) {
  return (
    <>
      <TextField
        label="Address of the first page"
        hint="Reads the pages of this site that it links to, as far as robots.txt allows."
        type="url"
        placeholder="https://www.example.com/help/"
        {...field('url', '/website/url')}
      />
      {name}
      <LinesField
        label="Keep only these paths"
        hint="One per line, such as /help/*. Leave empty for all."
        {...field('include', '/website/include')}
      />
      <LinesField
        label="Leave out these paths"
        hint="One per line, such as */archive/*."
        {...field('exclude', '/website/exclude')}
      />
      <div className="columns">
        <TextField
          label="Maximum link depth"
          hint="0 reads only the first page. Default: 5."
          type="number"
          {...field('depth', '/website/max_depth')}
        />
        <TextField
          label="Maximum pages"
          hint="1 to 10,000. Default: 500."
          type="number"
          {...field('pages', '/website/max_pages')}
        />
        <TextField
          label="Delay in milliseconds"
          hint="Between requests. 0 sends several at once. Default: 500."
          type="number"
          {...field('delay', '/website/delay_ms')}
        />
      </div>
    </>
  );
}

/** Refers to secrets by name; nobody types a secret into the form. */
function IntegrationFields({ field, name }: { field: FieldOf; name: ReactNode }) {
  return (
    <>
      <TextField
        label="Address of the feed"
        hint="It returns documents in the format of docs/integrations.md."
        type="url"
        placeholder="https://help.example.com/feed"
        {...field('url', '/integration/url')}
      />
      {name}
      <div className="columns">
        <TextField
          label="Secret sent as bearer token"
          hint="Name of a Secret with the label parley.dev/allow. Leave empty for none."
          {...field('token', '/integration/secret_ref')}
        />
        <TextField label="Key in it" {...field('tokenKey')} />
      </div>
      <div className="columns">
        <TextField
          label="Secret that signs requests"
          hint="As above. Leave empty for unsigned requests."
          {...field('signing', '/integration/signing_secret_ref')}
        />
        <TextField label="Key in the signing Secret" {...field('signingKey')} />
      </div>
    </>
  );
}

function wrongAt(error: unknown, pointer: string): string | undefined {
  return pointer === '/name' && isCode(error, 'name_taken')
    ? 'Another source has this name.'
    : fieldErrors(error, pointer);
}

/** Returns whether every error appears at a field. */
function isShown(error: unknown, places: readonly string[]): boolean {
  if (isCode(error, 'name_taken')) return true;
  const problems = error instanceof ParleyError ? (error.problem?.errors ?? []) : [];
  const isAt = (pointer: string): boolean =>
    places.some((place) => pointer === place || pointer.startsWith(`${place}/`));
  return problems.length > 0 && problems.every(({ pointer }) => isAt(pointer));
}
