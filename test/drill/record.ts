import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordingOf } from '../../packages/drill/src/stand-in/stand-in.ts';
import { wavOfMuLaw } from '../../packages/drill/src/stand-in/wav-samples.ts';
import { SAYINGS } from '../../packages/drill/src/texts.ts';
import { startEngines } from './engines.ts';
import { installEngines } from './install.ts';

/** Records what callers say anew, after a change of packages/drill/src/texts.ts: `node bin/bootstrap.mjs run test/drill/record.ts`. */

const { voice, stop } = await startEngines(installEngines());
for (const text of SAYINGS) {
  const file = recordingOf(text);
  const wav = wavOfMuLaw(await voice.utter(text));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, wav);
  console.log(`${(wav.length / 8_000).toFixed(1)} s  ${path.basename(file)}`);
}
stop();
