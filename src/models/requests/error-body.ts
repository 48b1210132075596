import { fieldsOf } from '../answers/read-chunk.ts';

const MAX_BYTES = 64 * 1024;

/**
 * Converts the body of an error into OpenAI's form `{"error": {…}}`, the only form that the `openai` package reads.
 * Google wraps this object in a list, and validation errors from vLLM and TGI contain `detail` or plain text. Other
 * bodies stay unchanged. Reads only the beginning of a long body.
 */
export async function readErrorBody(response: Response): Promise<Response> {
  if (response.status < 400) return response;
  const text = await beginningOf(response);
  const { status, headers } = response;
  return new Response(bodyOf(text), { status, headers });
}

async function beginningOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_BYTES) break; // Leaving the loop cancels the rest of the body.
  }
  return Buffer.concat(pieces).toString('utf8', 0, Math.min(bytes, MAX_BYTES));
}

function bodyOf(text: string): string {
  const parsed = parse(text);
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (typeof body !== 'object' || body === null) return text;
  const fields = fieldsOf(body);
  const { error = fields['detail'] ?? fields['message'] ?? body } = fields;
  if (typeof error === 'object' && error !== null && !Array.isArray(error)) {
    return JSON.stringify({ error }, withoutInput);
  }
  const { code, type, error_type: errorType = type } = fields;
  const message = typeof error === 'string' ? error : JSON.stringify(error, withoutInput);
  return JSON.stringify({ error: { message, code, type: errorType } });
}

/**
 * Drops the input that validation errors repeat, because it may quote the prompt. Used as a replacer of
 * `JSON.stringify`.
 */
function withoutInput(name: string, value: unknown): unknown {
  return name === 'input' || name === 'ctx' ? undefined : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
