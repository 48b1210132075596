/** Whether this is the nightly run (`npm run test:nightly`), which plays every case at full length. */
export const IS_NIGHTLY = process.env['PARLEY_NIGHTLY'] !== undefined;
