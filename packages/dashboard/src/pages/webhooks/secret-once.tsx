import { Code } from '../../ui/code.tsx';

export function SecretOnce({ secret }: { secret: string }) {
  return (
    <section className="told told-warn stack-small" aria-labelledby="secret-once">
      <h2 id="secret-once">Signing secret</h2>
      <p>
        Store this secret in the receiver now, because it is not shown again. The receiver uses it
        to verify that requests come from Parley.
      </p>
      <Code text={secret} label="Signing secret" wrap />
    </section>
  );
}
