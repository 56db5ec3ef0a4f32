import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const files = new Map<string, Buffer>();

/** A file of `resources/demo`, read once. */
export function prepared(name: string): Buffer {
  const file = files.get(name) ?? readFileSync(join(preparedFolder(), name));
  files.set(name, file);
  return file;
}

/** Wherever that is: beside the sources, in a package, or beside the command of the app. */
function preparedFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, 'resources', 'demo');
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) throw new Error('The media of the demo are missing: install Dailies again.');
  }
}

/** Files a service may answer with beside the ones its reference names: by name, their type and what they are kept as. */
const unfamiliar = {
  avif: ['image/avif', 'odd.avif'],
  svg: ['image/svg+xml', 'odd.svg'],
  aac: ['audio/aac', 'odd.aac'],
  // Written to a pipe: the sizes were never filled in.
  'wav-streamed': ['audio/wav', 'odd.wav'],
  zip: ['application/octet-stream', 'odd.zip'],
  noise: ['application/octet-stream', 'odd.bin'],
  png: ['image/png', 'odd.png'],
  'cut-png': ['image/png', 'odd.png'],
} as const;

export type Unfamiliar = keyof typeof unfamiliar;
export const UNFAMILIAR = Object.keys(unfamiliar) as Unfamiliar[];

export function unfamiliarFile(format: Unfamiliar): { contentType: string; bytes: Buffer } {
  const [contentType, name] = unfamiliar[format];
  const bytes = prepared(`odd/${name}`);
  return { contentType, bytes: format === 'cut-png' ? bytes.subarray(0, -12) : bytes };
}
