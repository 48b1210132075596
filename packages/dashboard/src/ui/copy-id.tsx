import { useToast } from './toast.tsx';
import './copy-id.css';

/** Shows a short ID. A click copies the full ID. */
export function CopyId({ id, shown }: { id: string; shown?: string }) {
  const toast = useToast();
  return (
    <button
      type="button"
      className="copy-id"
      title={`Copy ${id}`}
      onClick={() => {
        void navigator.clipboard.writeText(id).then(
          () => toast({ text: `Copied ${id}` }),
          () => toast({ text: `Could not copy ${id}`, tone: 'bad' }),
        );
      }}
    >
      {shown ?? shortId(id)}
    </button>
  );
}

/**
 * Shortens an ID, such as `conv_…7q2v`. Keeps its end, because IDs created at about the same time share their
 * beginning.
 */
export function shortId(id: string): string {
  const at = id.indexOf('_');
  return at < 0 || id.length < at + 12 ? id : `${id.slice(0, at + 1)}…${id.slice(-6)}`;
}
