import { ApiError } from '../../errors.ts';
import type { Content, CutContent } from '../passages/cut-passages.ts';
import { TextRefused, type TextCutter } from '../passages/text-cutter.ts';

/**
 * Divides content into passages. `pointer` is the JSON Pointer of the content in the request body. It becomes the
 * `pointer` of the error.
 * @throws ApiError invalid_body with the reason why the content is refused; unavailable
 */
export async function cutOrRefuse(
  { cutter }: { cutter: Pick<TextCutter, 'cut'> },
  namespace: string,
  content: Content,
  pointer = '',
): Promise<CutContent> {
  try {
    return await cutter.cut(namespace, content);
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const { code, message: detail } = error;
    throw new ApiError('invalid_body', detail, { errors: [{ pointer, code, detail }] });
  }
}
