import { z } from 'zod';

const status = z.object({
  message: z.string().default(''),
  reason: z.string().default(''),
  code: z.number().optional(),
  details: z
    .object({
      causes: z
        .array(
          z.object({
            reason: z.string().default(''),
            message: z.string().default(''),
            field: z.string().default(''),
          }),
        )
        .default([]),
    })
    .default({ causes: [] }),
});

export type StatusCause = { reason: string; message: string; field: string };

/** Error response from the API server (metav1.Status). `code` is the HTTP status. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: number;
  /** Reason in metav1.Status, such as NotFound, AlreadyExists, Conflict, Invalid, Expired or Forbidden. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  constructor(code: number, { reason, message, causes }: Omit<KubeError, 'code' | 'name'>) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/**
 * Error for a request that got no response, because the connection was refused, reset, timed out or cut off. A retry
 * may help.
 */
export class KubeConnectionError extends Error {
  override readonly name = 'KubeConnectionError';
}

/**
 * Parses the Status in the body of a response or in an ERROR event of a watch. Any other body becomes an error without
 * a reason.
 */
export function toKubeError(code: number, what: string, body: unknown): KubeError {
  const parsed = status.safeParse(body);
  if (!parsed.success) {
    return new KubeError(code, { reason: '', message: `${what}: ${code}`, causes: [] });
  }
  const { message, reason, details } = parsed.data;
  return new KubeError(parsed.data.code ?? code, {
    reason,
    message: `${what}: ${message || code}`,
    causes: details.causes,
  });
}

export function isKubeError(error: unknown, code: number): error is KubeError {
  return error instanceof KubeError && error.code === code;
}
