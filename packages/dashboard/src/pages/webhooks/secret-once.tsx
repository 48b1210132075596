import { Code } from '../../ui/code.tsx';

export function SecretOnce({ secret }: { secret: string }) {
  return (
    <section className="told told-warn stack-small" aria-labelledby="secret-once">
      <h2 id="secret-once">Signing secret</h2>
      <p>
        It is not shown again. Store it in the receiver now, which uses it to verify that requests
        come from Parley.
      </p>
      <Code text={secret} label="Signing secret" wrap />
    </section>
  );
}
