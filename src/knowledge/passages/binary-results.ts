/**
 * For statements that return bytes as they are: as text, which pg asks for by itself, they are twice as many
 * digits. All columns have to be text or bytes, and the bytes UTF-8: pg decodes them, whatever they are.
 */
export const BYTEA_AS_BYTES = {
  binary: true,
  types: {
    getTypeParser: (oid: number) => (bytes: Buffer) => (oid === BYTEA ? bytes : String(bytes)),
  },
};

const BYTEA = 17;
