import { win32 } from 'node:path';

/** The whole path of a program of Windows: a name alone would be looked for in the current folder first. */
export const windowsProgram = (...names: readonly string[]): string =>
  win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', ...names);
