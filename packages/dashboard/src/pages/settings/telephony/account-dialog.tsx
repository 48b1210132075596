import { useId, useState, type SyntheticEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { agentName, useAgentChoices } from '../../../data/agents.ts';
import { fieldErrors, ok, parley } from '../../../data/parley.ts';
import { ChoiceField, LineField, LinesField } from '../../../form/part-fields.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import {
  CARRIERS,
  createOf,
  draftOf,
  NEW_ACCOUNT,
  patchOf,
  type Account,
  type AccountDraft,
  type Carrier,
} from './telephony-values.ts';

/** Connects or edits an account with a carrier. Its token is pasted and never shown again. */
export function AccountDialog({
  account,
  onClose,
}: {
  /** Undefined for a new account. */
  account?: Account | undefined;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => (account ? draftOf(account) : NEW_ACCOUNT));
  const queryClient = useQueryClient();
  const toast = useToast();
  const patch = account && patchOf(account, draft);
  const saving = useMutation({
    mutationFn: () => {
      if (!account) return ok(parley.POST('/v1/telephony_providers', { body: createOf(draft) }));
      const params = { path: { id: account.id } };
      return ok(parley.PATCH('/v1/telephony_providers/{id}', { params, body: patch ?? {} }));
    },
    onSuccess: async ({ name }) => {
      await queryClient.invalidateQueries({ queryKey: ['carriers'] });
      toast({ text: `${account ? 'Changed' : 'Connected'} ${name}` });
      onClose();
    },
  });
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  const { error } = saving;
  return (
    <Dialog
      title={account ? `Edit ${account.name}` : 'Connect a carrier'}
      isOpen
      onClose={onClose}
      isWide
    >
      <form className="stack" onSubmit={send}>
        <AccountFields {...{ draft, error, account }} onChange={setDraft} />
        {error ? <TroubleNote error={error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={saving.isPending}
            disabled={account !== undefined && patch === undefined}
          >
            {account ? 'Save changes' : 'Connect'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

type Props = { draft: AccountDraft; onChange: (draft: AccountDraft) => void; error: unknown };

function AccountFields({
  draft,
  onChange,
  error,
  account,
}: Props & { account: Account | undefined }) {
  const set = (change: Partial<AccountDraft>): void => onChange({ ...draft, ...change });
  const said = CARRIERS[draft.type];
  const field = (name: Exclude<keyof AccountDraft, 'numbers'>) => ({
    value: draft[name],
    error: fieldErrors(error, `/${name}`),
    onChange: (text: string) => set({ [name]: text }),
  });
  const isStored = /^tp-[0-9a-z]{26}-key$/.test(account?.auth_token_secret_ref?.name ?? '');
  return (
    <>
      <div className="agent-pair">
        <ChoiceField
          label="Carrier"
          value={draft.type}
          options={Object.fromEntries(
            Object.entries(CARRIERS).map(([key, one]) => [key, one.name]),
          )}
          onChange={(type: Carrier) => set({ type })}
        />
        {account ? null : (
          <LineField
            label="Name"
            required
            placeholder="main"
            hint="Calls refer to the account by this name. It can’t be changed later."
            {...field('name')}
          />
        )}
      </div>
      <div className="agent-pair">
        <LineField label={said.account} required {...field('account_id')} />
        <LineField
          label={account ? said.newToken : said.token}
          type="password"
          autoComplete="new-password"
          required={account === undefined}
          hint={
            account
              ? `Leave empty to keep the current value${isStored ? '' : ', which is in a Secret in the cluster'}.`
              : 'Stored encrypted and never shown again.'
          }
          {...field('auth_token')}
        />
      </div>
      {draft.type === 'telnyx' ? (
        <div className="agent-pair">
          <LineField label="Public key" required {...field('public_key')} />
          <LineField
            label="TeXML application"
            hint="Required to place calls."
            {...field('application_id')}
          />
        </div>
      ) : null}
      <NumberRows {...{ draft, onChange, error }} />
      <LinesField
        label="Countries that may be called, one code per line"
        hint="For example GB. Leave empty to place no calls."
        rows={2}
        value={draft.countries}
        error={fieldErrors(error, '/outbound')}
        onChange={(countries) => set({ countries })}
      />
      <LineField
        label="URL of the carrier’s API"
        type="url"
        hint="Leave empty to use the carrier’s own URL."
        {...field('api_url')}
      />
    </>
  );
}

/** Edits the numbers of an account and the agent that answers each number. Suggests the names of agents. */
function NumberRows({ draft, onChange, error }: Props) {
  const listId = useId();
  const { numbers } = draft;
  const { data: agents = [] } = useAgentChoices();
  const set = (next: AccountDraft['numbers']): void => onChange({ ...draft, numbers: next });
  const edit = (at: number, change: Partial<AccountDraft['numbers'][number]>): void =>
    set(numbers.map((one, other) => (other === at ? { ...one, ...change } : one)));
  const problem = fieldErrors(error, '/numbers');
  return (
    <fieldset className="choices">
      <legend>Numbers</legend>
      {numbers.map(({ number, agent }, at) => (
        <div key={at} className="agent-row">
          <input
            aria-label={`Number ${at + 1}`}
            placeholder="+442071838750"
            value={number}
            onChange={({ target }) => edit(at, { number: target.value.trim() })}
          />
          <input
            aria-label={`Agent that answers number ${at + 1}`}
            placeholder="Agent that answers"
            list={listId}
            value={agent}
            onChange={({ target }) => edit(at, { agent: target.value.trim() })}
          />
          <Button
            size="small"
            aria-label={`Remove number ${at + 1}`}
            onClick={() => set(numbers.filter((_, other) => other !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <datalist id={listId}>
        {agents.map((agent) => (
          <option key={agent.id} value={agent.name}>
            {agentName(agent)}
          </option>
        ))}
      </datalist>
      {problem ? <p className="problem small">{problem}</p> : null}
      <p>
        <Button size="small" onClick={() => set([...numbers, { number: '', agent: '' }])}>
          Add a number
        </Button>
      </p>
    </fieldset>
  );
}
