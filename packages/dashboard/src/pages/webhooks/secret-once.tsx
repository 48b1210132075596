import { Code } from '../../ui/code.tsx';

export function SecretOnce({ secret }: { secret: string }) {
  return (
    <section className="told told-warn stack-small" aria-labelledby="secret-once">
      <h2 id="secret-once">Signing secret</h2>
      <p>
        It is not shown again. Give it to the receiver now, which checks with it that a request
        comes from Parley.
      </p>
      <Code text={secret} label="Signing secret" wrap />
    </section>
  );
}
