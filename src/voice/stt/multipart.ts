/** Form to encode as `multipart/form-data` (RFC 7578): the fields in order, then one file. */
export type Form = {
  fields: readonly (readonly [name: string, value: string])[];
  /** File in the form. Parley chooses the field name and the file name, so they need no quoting. */
  file: { field: string; name: string; type: string; bytes: readonly Buffer[] };
};

/** Encodes a form. `boundary` must not occur in the contents, so use a random string. */
export function multipartOf({ fields, file }: Form, boundary: string): Buffer {
  const parts = fields.map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${file.name}"\r\ncontent-type: ${file.type}\r\n\r\n`;
  return Buffer.concat([
    ...parts,
    Buffer.from(head),
    ...file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}
