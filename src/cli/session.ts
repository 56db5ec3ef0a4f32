import type { ExitStatus } from './exit.ts';
import { dataFolderOf } from '../host/data-folder.ts';
import { withGlobals, type GlobalOptions } from './globals.ts';
import type { Shell } from './shell.ts';

/** What a command does once its words are understood. */
export type Work = (session: Session) => Promise<ExitStatus>;

/** Performs the work of the command that was named. `endsAtOnce`: nothing is lost when it is left where it stands. */
export type Perform = (work: Work, endsAtOnce: boolean) => Promise<void>;

/** One command at work: what it was given, and where its things are. */
export interface Session {
  readonly shell: Shell;
  readonly options: GlobalOptions;
  readonly dataFolder: string;
  /** Aborted, with an `InterruptedError`, when the person asks to stop. */
  readonly interrupted: AbortSignal;
}

export function openSession(shell: Shell, options: GlobalOptions, interrupted: AbortSignal): Session {
  return { shell, options, dataFolder: dataFolderOf(options.data, shell), interrupted };
}

/** The line of a session's terminal for people. */
export function sayTo({ shell, options }: Session): (line: string) => void {
  return (line) => shell.stdout.write(`${withGlobals(options, line)}\n`);
}
