import { useState, type ReactNode } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  useRecalledVersions,
  useTakeOver,
  useVersion,
  useVersionDiff,
  type Declared,
} from '../../data/agents.ts';
import { release, undoOf, type Release } from '../../data/agent-writes.ts';
import { isCode, troubleOf } from '../../data/parley.ts';
import { changesBetween } from '../../form/merge.ts';
import { ActButton, Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Notice } from './agent-notices.tsx';
import { contentOf } from './agent-values.ts';
import { Changes } from './changes.tsx';

const REASON_MAX = 1024;

/**
 * Shows, before a release, how the new content differs from the live version. If the agent has changed since it was
 * read, the API rejects the release (`If-Match`).
 */
export function ReleaseDialog({
  declared,
  wanted: first,
  onClose,
}: {
  declared: Declared;
  wanted: Release;
  onClose: () => void;
}) {
  const { agent, etag } = declared;
  const [wanted, setWanted] = useState(first);
  const [opened] = useState(etag);
  const [reason, setReason] = useState('');
  const act = useRelease(declared, onClose);
  const isRollback = wanted.kind === 'rollback';
  const given = isRollback ? { ...wanted, reason } : wanted;
  return (
    <Dialog title={titleOf(wanted, agent)} isOpen isWide onClose={onClose}>
      {etag === opened ? null : (
        <Notice tone="warn">
          <strong>The agent was changed while you were here.</strong> The changes below are up to
          date.
        </Notice>
      )}
      <p>{meaningOf(wanted, agent)}</p>
      {isRollback ? (
        <RollbackChoice
          agent={agent}
          version={wanted.version}
          onChoose={(version) => setWanted({ kind: 'rollback', version })}
        />
      ) : null}
      <section className="stack-small" aria-label="What changes for users">
        <h3>What changes for users</h3>
        <Difference declared={declared} wanted={wanted} />
      </section>
      {isRollback ? (
        <Field label="Reason" hint="Shown in the release history and included in webhook events.">
          {(control) => (
            <textarea
              {...control}
              rows={2}
              maxLength={REASON_MAX}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
      ) : null}
      {act.error && !isCode(act.error, 'precondition_failed') ? (
        <TroubleNote error={act.error} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <ActButton
          needs="publish"
          kind={isRollback ? 'danger' : 'primary'}
          isBusy={act.isPending}
          onClick={() => act.mutate(given)}
        >
          {titleOf(wanted, agent)}
        </ActButton>
      </DialogActions>
    </Dialog>
  );
}

function titleOf(wanted: Release, { pinned_version: pinned }: Declared['agent']): string {
  if (wanted.kind === 'publish') return `Publish version ${wanted.version}`;
  if (wanted.kind === 'rollback') return `Roll back to version ${wanted.version}`;
  return pinned === null ? 'Unpin' : `Unpin version ${pinned}`;
}

function meaningOf(wanted: Release, agent: Declared['agent']): ReactNode {
  if (wanted.kind === 'unpin') {
    return 'The current content goes live. From then on, saved changes go live immediately.';
  }
  const isManual = agent.publish_policy === 'manual';
  const isElsewhere = agent.managed_by !== 'api';
  const git = isElsewhere ? ' Applying the same manifest again does not undo it.' : '';
  if (isManual) {
    return `Version ${wanted.version} stays live until another version is published.${git}`;
  }
  return `Version ${wanted.version} is pinned. It stays live until you unpin it, even if the agent changes.${git}`;
}

function RollbackChoice({
  agent,
  version,
  onChoose,
}: {
  agent: Declared['agent'];
  version: number;
  onChoose: (version: number) => void;
}) {
  const below = Array.from({ length: (agent.active_version ?? 1) - 1 }, (_, at) => at + 1);
  const recalled = useRecalledVersions(agent.id);
  return (
    <Field label="To version">
      {(control) => (
        <select
          {...control}
          value={version}
          onChange={({ target }) => onChoose(Number(target.value))}
        >
          {below.toReversed().map((one) => (
            <option key={one} value={one} disabled={recalled.has(one)}>
              {recalled.has(one) ? `${one} (recalled)` : one}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Shows the difference between the live content and the new content. */
function Difference({ declared: { agent }, wanted }: { declared: Declared; wanted: Release }) {
  const { active_version: live } = agent;
  const target = wanted.kind === 'unpin' ? null : wanted.version;
  const diff = useVersionDiff(agent.id, live, target);
  const before = useVersion(agent.id, target === null ? live : null);
  const failed = diff.error ?? before.error;
  if (failed) return <TroubleNote error={failed} />;
  if (live === null) return <p className="muted">No version of this agent has been live yet.</p>;
  if (target === live) return <p className="muted">This version is already live.</p>;
  if (diff.data) return <Changes changes={diff.data} />;
  if (!before.data) return <p className="muted">Comparing…</p>;
  return <Changes changes={changesBetween(before.data.content, contentOf(agent))} />;
}

/**
 * Applies the release and offers to undo it. If somebody else changed the agent first, reloads the agent to show its
 * current state.
 */
function useRelease(declared: Declared, onDone: () => void) {
  const toast = useToast();
  const takeOver = useTakeOver();
  const queryClient = useQueryClient();
  const undo = async (after: Declared, back: Release): Promise<void> => {
    try {
      takeOver(await release(after, back));
      toast({ text: 'Undone' });
    } catch (error) {
      toast({ text: troubleOf(error).detail, tone: 'bad' });
    }
  };
  return useMutation({
    // Returns the earlier agent together with the new one, because `declared` may be refreshed before the response
    // arrives, and undo needs the earlier agent.
    mutationFn: async (wanted: Release) => {
      const before = declared.agent;
      return { before, after: await release(declared, wanted) };
    },
    onSuccess: ({ before, after }, wanted) => {
      takeOver(after);
      const back = undoOf(before);
      toast({
        text: liveText(after, wanted),
        ...(back && { undo: () => void undo(after, back) }),
      });
      onDone();
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
}

/** Returns the text of the confirmation. In a cluster, the new version goes live a moment after the response. */
function liveText({ agent: { active_version: live } }: Declared, wanted: Release): string {
  const isLive = wanted.kind === 'unpin' || wanted.version === live;
  return isLive
    ? `Version ${live ?? ''} is live`
    : `Version ${wanted.version} goes live in a moment`;
}
