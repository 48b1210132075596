import { useState } from 'react';
import { LineField } from '../../../form/part-fields.tsx';
import { Button } from '../../../ui/button.tsx';

type SecretRef = { name: string; key: string };

/** Returns true if the reference names a Secret that Parley itself created. Its name is derived from the agent ID. */
export function isStored(ref: SecretRef | null | undefined): boolean {
  return /^agt-[0-9a-z]{26}-key$/.test(ref?.name ?? '');
}

/**
 * Edits a tool's secret, which is either pasted or created here, or read from a Secret in the cluster. A pasted secret
 * is stored when the agent is saved, and never shown again.
 */
export function SecretField({
  label,
  secret = '',
  value,
  error,
  onSecret,
  onChange,
  create,
}: {
  label: string;
  /** Plain-text secret that is not saved yet. */
  secret: string | null | undefined;
  value: SecretRef | null | undefined;
  error: string | undefined;
  onSecret: (secret: string) => void;
  onChange: (value: SecretRef | null) => void;
  /** Creates a secret that the user then copies into the service. */
  create?: () => string;
}) {
  /** Secret created in this form. It is shown in plain text, so that the user can copy it into the service. */
  const [created, setCreated] = useState<string>();
  const { name = '', key = '' } = value ?? {};
  if (isStored(value)) {
    return (
      <div className="spread">
        <span>
          {label} <span className="muted small">stored by Parley, never shown</span>
        </span>
        <Button
          size="small"
          onClick={() => onChange(null)}
          aria-label={`Replace or remove: ${label}`}
        >
          Replace or remove
        </Button>
      </div>
    );
  }
  return (
    <div className="stack-small">
      {name === '' ? (
        <LineField
          label={label}
          type={secret !== '' && secret === created ? 'text' : 'password'}
          autoComplete="new-password"
          hint={
            secret !== '' && secret === created
              ? 'Copy the secret into your service now. Secrets are stored encrypted and never shown again.'
              : 'Leave empty for no secret. Secrets are stored encrypted and never shown again.'
          }
          value={secret}
          onChange={onSecret}
        />
      ) : null}
      <div className="row">
        {create && name === '' ? (
          <Button
            size="small"
            onClick={() => {
              const made = create();
              setCreated(made);
              onSecret(made);
            }}
          >
            Create a secret
          </Button>
        ) : null}
        <details open={name !== ''}>
          <summary className="small">{label} from a Secret in the cluster</summary>
          <div className="agent-pair">
            <LineField
              label="Name of the Secret"
              hint={
                <>
                  The Secret needs the label <code>parley.dev/allow: "true"</code>.
                </>
              }
              value={name}
              error={error}
              onChange={(next) => onChange({ name: next, key })}
            />
            <LineField
              label="Key in the Secret"
              value={key}
              onChange={(next) => onChange({ name, key: next })}
            />
          </div>
        </details>
      </div>
    </div>
  );
}

export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
}
