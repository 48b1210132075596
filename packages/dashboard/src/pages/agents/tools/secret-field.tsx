import { useState } from 'react';
import { LineField } from '../../../form/part-fields.tsx';
import { Button } from '../../../ui/button.tsx';

type SecretRef = { name: string; key: string };

/** Returns whether Parley keeps the secret. The name of its Secret follows from the id of the agent. */
export function isStored(ref: SecretRef | null | undefined): boolean {
  return /^agt-[0-9a-z]{26}-key$/.test(ref?.name ?? '');
}

/**
 * A secret of a tool: pasted or created here, or in a Secret of the cluster. A pasted secret is stored when the agent is
 * saved, and never shown again.
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
  /** Secret in clear text that is not saved yet. */
  secret: string | null | undefined;
  value: SecretRef | null | undefined;
  error: string | undefined;
  onSecret: (secret: string) => void;
  onChange: (value: SecretRef | null) => void;
  /** Creates a secret that the service gets too. */
  create?: () => string;
}) {
  /** Secret that this form has created. It is shown in clear text, so that the user can copy it into the service. */
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
              ? 'Copy it into your service now. It is stored encrypted and never shown again.'
              : 'Leave empty for none. It is stored encrypted and never shown again.'
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
          <summary className="small">{label} in a Secret of the cluster</summary>
          <div className="agent-pair">
            <LineField
              label="Name of the Secret"
              hint={
                <>
                  It needs the label <code>parley.dev/allow: "true"</code>.
                </>
              }
              value={name}
              error={error}
              onChange={(next) => onChange({ name: next, key })}
            />
            <LineField
              label="Key in it"
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
