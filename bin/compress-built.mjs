import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Minimum size in bytes of a file to compress. Compressing a smaller file saves no network packet. */
const worthBytes = 1_000;

/** Writes compressed copies (`.br`, `.gz`) next to a built file. */
export async function compressBuilt(folder, { type, fileName, code, source }) {
  const bytes = Buffer.from(type === 'chunk' ? code : source);
  if (bytes.length < worthBytes || !/\.(js|css|html|svg)$/.test(fileName)) return;
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  writeFileSync(join(folder, `${fileName}.br`), brotli);
  writeFileSync(join(folder, `${fileName}.gz`), zipped);
}
