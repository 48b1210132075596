import type { ReactNode } from 'react';
import { isCode, ParleyError } from '../../../data/parley.ts';
import { AreaField, errorAt, TextField } from '../../../form/fields.tsx';
import { ChoiceField } from '../../../form/part-fields.tsx';
import { Section } from '../../../form/section.tsx';
import { sendBy, type Form } from '../../../form/use-edit-form.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import { NameField, nameFromUrl } from '../name-field.tsx';
import { SCHEDULES, type FetchedType, type FetchedValues } from './fetched-values.ts';

type FieldsProps = { form: Form<FetchedValues>; name: ReactNode };

/** The form for a new or existing website or feed source. Errors that belong to no field appear at the bottom. */
export function FetchedForm({
  type,
  isNew,
  form,
  notice,
  action,
  isBusy,
  canSend,
  onSend,
  onClose,
}: {
  type: FetchedType;
  isNew?: boolean;
  form: Form<FetchedValues>;
  /** Content above the fields. */
  notice?: ReactNode;
  /** Label of the submit button. */
  action: string;
  isBusy: boolean;
  canSend: boolean;
  onSend: (values: FetchedValues) => void;
  onClose: () => void;
}) {
  const { failure } = form;
  const Fields = type === 'website' ? WebsiteFields : IntegrationFields;
  const name = (
    <NameField
      name={form.watch('name') || nameFromUrl(form.watch(`${type}.url`))}
      error={
        isCode(failure, 'name_taken') ? 'Another source has this name.' : errorAt(form, 'name')
      }
      onChange={(typed) => form.setValue('name', typed)}
    />
  );
  return (
    <form className="stack" noValidate onSubmit={sendBy(form, onSend)}>
      {notice}
      <Fields form={form} name={isNew ? name : null} />
      <ScheduleField form={form} />
      <Section
        title={
          type === 'website' ? 'Advanced: paths, limits, exact times' : 'Advanced: exact times'
        }
        failure={failure}
      >
        {type === 'website' ? <LimitFields form={form} /> : null}
        <TextField
          form={form}
          name="schedule"
          label="Cron expression"
          hint="Five fields, in UTC, such as 30 4 * * 1 for Mondays at 4:30."
        />
      </Section>
      {failure && !isShown(failure, type) ? <TroubleNote error={failure} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          kind="primary"
          isBusy={isBusy}
          disabled={!canSend || form.watch(`${type}.url`).trim() === ''}
        >
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Selects a common schedule. A cron expression that was typed in the field below is added as an option. */
function ScheduleField({ form }: Pick<FieldsProps, 'form'>) {
  const schedule = form.watch('schedule');
  return (
    <ChoiceField
      label="Sync schedule"
      value={schedule}
      options={{ ...SCHEDULES, [schedule]: SCHEDULES[schedule] ?? schedule }}
      onChange={(chosen: string) => form.setValue('schedule', chosen)}
    />
  );
}

function WebsiteFields({ form, name }: FieldsProps) {
  return (
    <>
      <TextField
        form={form}
        name="website.url"
        label="Address of the first page"
        hint="Parley follows links from this page within the same site, as far as robots.txt allows."
        type="url"
        placeholder="https://www.example.com/help/"
      />
      {name}
    </>
  );
}

function LimitFields({ form }: Pick<FieldsProps, 'form'>) {
  const lines = { form, rows: 3, spellCheck: false };
  const number = { form, type: 'number' };
  return (
    <>
      <AreaField
        {...lines}
        name="website.include"
        label="Include paths"
        hint="One per line, such as /help/*. Leave empty to include all paths."
      />
      <AreaField
        {...lines}
        name="website.exclude"
        label="Exclude paths"
        hint="One per line, such as */archive/*."
      />
      <div className="columns">
        <TextField
          {...number}
          name="website.max_depth"
          label="Maximum link depth"
          hint="0 reads only the first page. Default: 5."
        />
        <TextField
          {...number}
          name="website.max_pages"
          label="Maximum pages"
          hint="1 to 10,000. Default: 500."
        />
        <TextField
          {...number}
          name="website.delay_ms"
          label="Delay in milliseconds"
          hint="Time between requests. 0 sends several requests at once. Default: 500."
        />
      </div>
    </>
  );
}

/** Fields of a feed source. They refer to Secrets by name, so that nobody types a secret into the form. */
function IntegrationFields({ form, name }: FieldsProps) {
  return (
    <>
      <TextField
        form={form}
        name="integration.url"
        label="Address of the feed"
        hint="The feed must return the format that docs/integrations.md describes."
        type="url"
        placeholder="https://help.example.com/feed"
      />
      {name}
      <div className="columns">
        <TextField
          form={form}
          name="integration.secret_ref.name"
          label="Secret sent as bearer token"
          hint="Name of a Secret with the label parley.dev/allow. Leave empty to send no token."
        />
        <TextField form={form} name="integration.secret_ref.key" label="Key in this Secret" />
      </div>
      <div className="columns">
        <TextField
          form={form}
          name="integration.signing_secret_ref.name"
          label="Secret that signs requests"
          hint="Name of a Secret with the same label. Leave empty for unsigned requests."
        />
        <TextField
          form={form}
          name="integration.signing_secret_ref.key"
          label="Key in the signing Secret"
        />
      </div>
    </>
  );
}

/** Returns true if every error is shown at a field. */
function isShown(error: unknown, type: FetchedType): boolean {
  if (isCode(error, 'name_taken')) return true;
  const problems = error instanceof ParleyError ? (error.problem?.errors ?? []) : [];
  // The form shows errors of a Secret's name and key, but not errors of the whole reference (`…_ref`).
  const isAt = (pointer: string): boolean =>
    /^\/(name|schedule)$/.test(pointer) ||
    (pointer.startsWith(`/${type}/`) && !pointer.endsWith('_ref'));
  return problems.length > 0 && problems.every(({ pointer }) => isAt(pointer));
}
