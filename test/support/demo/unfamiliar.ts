import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const bytes = readFileSync(join(import.meta.dirname, 'odd', name));
  return { contentType, bytes: format === 'cut-png' ? bytes.subarray(0, -12) : bytes };
}
