import { prepared } from './prepared.ts';

/** Files a service may answer with beside the ones its reference names: by name, their type and what they are kept as. */
const files = {
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

export type Unfamiliar = keyof typeof files;
export const UNFAMILIAR = Object.keys(files) as Unfamiliar[];

export function unfamiliarFile(format: Unfamiliar): { contentType: string; bytes: Buffer } {
  const [contentType, name] = files[format];
  const bytes = prepared(`odd/${name}`);
  return { contentType, bytes: format === 'cut-png' ? bytes.subarray(0, -12) : bytes };
}
