import type { Source } from '../../data/knowledge.ts';
import type { Tone } from '../../ui/status.tsx';

/**
 * Returns the source's state as a word with a tone. A source whose declaration has not taken effect is `not ready`,
 * even if search still finds its older content.
 */
export function stateOf(source: Source): { name: string; tone: Tone } {
  const { status, ready } = source;
  switch (status) {
    case 'pending':
      return { name: 'pending', tone: 'warn' };
    case 'syncing':
    case 'refreshing':
      return { name: status, tone: 'info' };
    case 'ready':
      return ready ? { name: 'ready', tone: 'ok' } : { name: 'not ready', tone: 'bad' };
    case 'error':
      return { name: 'error', tone: 'bad' };
    default:
      return status satisfies never;
  }
}

/** Returns true if syncs read this type of source from another server. */
export function isFetched(type: Source['type']): type is 'website' | 'integration' {
  return type === 'website' || type === 'integration';
}

/** Returns how to fix the problem with a source, or null if there is no problem. */
export function remedyOf({ type, ready, status, managed_by: owner }: Source): string | null {
  if (ready && status !== 'error') return null;
  if (isFetched(type)) {
    const where = owner === 'api' ? '' : ` where it is declared (${owner})`;
    return `Search uses the previous content, and Parley retries automatically. Fix the cause${where}, then sync again.`;
  }
  if (type === 'file' && status === 'pending') return 'Upload a file.';
  if (type === 'file')
    return 'Upload a file that meets the requirements. Until then, search uses the previous file.';
  return owner === 'api'
    ? 'Edit the text, or split it into several sources. Until then, search uses the previous text.'
    : `Change the text where it is declared (${owner}). Until then, search uses the previous text.`;
}
