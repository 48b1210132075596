import { Button } from './button.tsx';
import { useToast } from './toast.tsx';
import './code.css';

/** Shows code or a message verbatim, with a button to copy it. */
export function Code({ text, label, wrap }: { text: string; label: string; wrap?: boolean }) {
  const toast = useToast();
  return (
    <figure className="code">
      <pre className={wrap ? 'preserved' : undefined} tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <Button
        size="small"
        className="code-copy"
        onClick={() => {
          void navigator.clipboard.writeText(text).then(
            () => toast({ text: `Copied: ${label}` }),
            () => toast({ text: 'Could not copy', tone: 'bad' }),
          );
        }}
      >
        Copy
      </Button>
    </figure>
  );
}

/** Shows indented JSON. Other text stays unchanged. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <Code
      text={typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2)}
      label={label}
      wrap
    />
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
