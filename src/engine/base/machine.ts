import { hostname } from 'node:os';
import { win32 } from 'node:path';

/** What a note in a folder says of the machine that wrote it. */
export interface OfMachine {
  /** To show: on macOS it changes with the network. */
  readonly host: string;
  /** Stays the same; see `machineId`. Notes of earlier releases leave it out. */
  readonly machine?: string | undefined;
}

/** What our notes say of this machine. `machine`: its id, if it has one. */
export const thisMachine = (machine: string | undefined): OfMachine => ({
  host: hostname(),
  ...(machine !== undefined && { machine }),
});

/**
 * Whether the same machine wrote both notes. The name alone is enough, for users who have an id each: two machines that
 * count as one are told apart by their locks, but one that counts as two would pay twice.
 */
export const isSameMachine = (one: OfMachine, other: OfMachine): boolean =>
  one.host === other.host || (one.machine !== undefined && one.machine === other.machine);

/** The whole path of a program of Windows: a name alone would be looked for in the current folder first. */
export const windowsProgram = (...names: readonly string[]): string =>
  win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', ...names);
