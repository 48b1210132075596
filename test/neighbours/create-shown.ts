import { until } from '../until.ts';
import type { Answer, Created } from './attack.ts';

type Send = (method: string, path: string, json?: object) => Promise<Answer>;

/**
 * Creates an object, and resolves once requests can use it. A declared object is answered 202 if the operator needs more
 * than 2 s, as it may right after the start of a process, or on a busy machine (contract/requests.md#writes).
 */
export async function createShown(send: Send, path: string, json: object): Promise<Created> {
  const { status, body } = await send('POST', path, json);
  if (status !== 201 && status !== 202)
    throw new Error(`POST ${path} was answered ${status}: ${JSON.stringify(body)}`);
  const created = body as Created;
  const own = `${path}/${created.id}`;
  if (status === 202)
    await until(`${own} to be shown`, async () => {
      const read = await send('GET', own);
      // The row of an agent is there before its first version is active.
      return read.status === 200 && read.body.active_version !== null;
    });
  return created;
}
