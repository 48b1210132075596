import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Copies the message as a curl command. The command reads the API key from the environment. */
export function CopyCurl({ id, text }: { id: string; text: string }) {
  const toast = useToast();
  return (
    <Button
      size="small"
      kind="quiet"
      title="Copy this message as a curl command"
      onClick={() => {
        void navigator.clipboard.writeText(curlOf(window.location.origin, id, text)).then(
          () => toast({ text: 'Copied as curl. The command reads the key from $PARLEY_API_KEY' }),
          () => toast({ text: 'Could not copy', tone: 'bad' }),
        );
      }}
    >
      Copy as curl
    </Button>
  );
}

export function curlOf(origin: string, id: string, text: string): string {
  return [
    `curl -N ${quoted(`${origin}/v1/conversations/${id}/messages`)}`,
    '-H "Authorization: Bearer $PARLEY_API_KEY"',
    "-H 'Content-Type: application/json' -H 'Accept: text/event-stream'",
    `-d ${quoted(JSON.stringify({ text }))}`,
  ].join(' \\\n  ');
}

/** Quotes text as a single POSIX shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
