import { encodeWav } from './wav.ts';

/** Files a service may answer with beside the ones its reference names. */
export const UNFAMILIAR = ['avif', 'svg', 'aac', 'wav-streamed', 'zip', 'noise', 'png', 'cut-png'] as const;
export type Unfamiliar = (typeof UNFAMILIAR)[number];

const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="#2b6e5a"/></svg>';

/** A picture of 64 x 40 pixels. */
const AVIF =
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAAXBtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRpbG9j' +
  'AAAAAERAAAIAAQAAAAABlAABAAAAAAAAAF0AAgAAAAAB8QABAAAAAAAAABUAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABhdjAxAAAA' +
  'ABVpbmZlAgAAAAACAABhdjAxAAAAAA5waXRtAAAAAAABAAAAr2lwcnAAAACKaXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAEAAAAAo' +
  'AAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQAcAAAAAA5waXhpAAAAAAEIAAAAOGF1eEMAAAAAdXJuOm1wZWc6bXBlZ0I6Y2ljcDpzeXN0ZW1z' +
  'OmF1eGlsaWFyeTphbHBoYQAAAAAdaXBtYQAAAAAAAAACAAEDgQIDAAIEhAIFhgAAABppcmVmAAAAAAAAAA5hdXhsAAIAAQABAAAAem1kYXQS' +
  'AAoJOBV/nbQENBpAMk5GgJjBOAANCgIEz8oyT0t/8DUNrgAZRW0gqE2PSrV8Ki1/8lnlnHVbSIlfPLBvVnShehneGv1MXRHT/mkz3/7eJ5Zw' +
  'upZeMZqaxYAOy2ASAAoGGBV/n5VAMgkYwAABAA5NMis=';

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');

const makers: Record<Unfamiliar, { contentType: string; make: () => Buffer }> = {
  avif: { contentType: 'image/avif', make: () => base64(AVIF) },
  svg: { contentType: 'image/svg+xml', make: () => Buffer.from(DRAWING) },
  aac: { contentType: 'audio/aac', make: silence },
  'wav-streamed': { contentType: 'audio/wav', make: streamedWav },
  zip: { contentType: 'application/octet-stream', make: () => Buffer.concat([Buffer.from('PK\x03\x04'), noise()]) },
  noise: { contentType: 'application/octet-stream', make: noise },
  png: { contentType: 'image/png', make: () => base64(PNG) },
  'cut-png': { contentType: 'image/png', make: () => base64(PNG).subarray(0, -12) },
};

export function unfamiliarFile(format: Unfamiliar): { contentType: string; bytes: Buffer } {
  const { contentType, make } = makers[format];
  return { contentType, bytes: make() };
}

/** Two seconds of silence in AAC frames, each with a head of its own (ADTS). */
function silence(): Buffer {
  const frame = Buffer.from('fff15080021ffc210049900219002380', 'hex');
  return Buffer.concat(Array.from({ length: 86 }, () => frame));
}

/** Written to a pipe: the sizes were never filled in. */
function streamedWav(): Buffer {
  const samples = Float32Array.from({ length: 8000 }, (_, index) => 0.3 * Math.sin(index / 6));
  const wav = encodeWav({ samplesPerSecond: 8000, channels: [samples] }, Buffer.from('streamed'));
  wav.writeUInt32LE(0, 4);
  wav.writeUInt32LE(0, wav.indexOf('data') + 4);
  return wav;
}

function noise(): Buffer {
  return Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * index * 31 + 7) % 251));
}
