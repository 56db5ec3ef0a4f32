import type { Surroundings } from '../host/surroundings.ts';
import type { Port } from '../server/message-port.ts';
import type { FromEngine } from './engine-messages.ts';

/** A port as it arrives: nothing comes through before `start`. */
export type ArrivedPort = Port & { start(): void };

/** The engine process's line to main; Electron's `process.parentPort`. */
export interface ParentPort {
  on(event: 'message', listener: (message: { data: unknown; ports: readonly ArrivedPort[] }) => void): void;
  postMessage(message: FromEngine): void;
}

/** Hosts an engine as main asks for it. `end` ends the process, all being drained. */
export function hostEngine(_parent: ParentPort, _machine: Surroundings, _end: () => void): void {
  return;
}
