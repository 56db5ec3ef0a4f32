import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const portFile = (dataFolder: string): string => join(dataFolder, 'web-port');

/** The port that the run before was found at; null when there was none, or what was noted is no port. */
export function lastPort(dataFolder: string): number | null {
  try {
    const text = readFileSync(portFile(dataFolder), 'utf8').trim();
    const port = Number(text);
    return /^\d+$/.test(text) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

export function notePort(dataFolder: string, port: number): void {
  try {
    writeFileSync(portFile(dataFolder), `${port}\n`, { mode: 0o600 });
  } catch {
    // It only spares an open window being opened anew.
  }
}
