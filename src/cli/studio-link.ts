import { resolve } from 'node:path';
import { realPath } from '../engine/files/existing-paths.ts';
import { refused } from './exit.ts';
import type { Session } from './session.ts';

export interface MachineGiven {
  readonly name?: string | undefined;
  readonly root?: readonly string[] | undefined;
}

export interface MachineHere {
  readonly machine: string;
  readonly person: string;
  readonly roots: ReadonlyMap<string, string>;
}

/** What of the studio is loaded only by a command that has one. */
const membership = () => import('../host/membership.ts');

/**
 * Who this machine is in the studio, and where it has the roots: as given, else as they were given last. Throws StudioError
 * where it has joined none, and UsageError without any root.
 */
export async function machineHere(session: Session, { name, root = [] }: MachineGiven): Promise<MachineHere> {
  const { readMembership, writeMembership } = await membership();
  const { StudioError } = await import('../studio/errors.ts');
  const known = readMembership(session.dataFolder);
  if (known?.person == null || known.machine === null) throw new StudioError('studio_none');
  const given = await Promise.all(root.map((each) => readRoot(session, each)));
  const roots = given.length > 0 ? Object.fromEntries(given) : known.roots;
  if (Object.keys(roots).length === 0) throw refused('cli.studioWithoutRoot');
  const { address, person, machine } = known;
  writeMembership(session.dataFolder, { address, roots });
  return { machine: name ?? machine, person, roots: new Map(Object.entries(roots)) };
}

/** `nas=/mnt/nas`. */
async function readRoot({ shell }: Session, text: string): Promise<readonly [name: string, path: string]> {
  const [, name, path] = /^([\w-]{1,40})=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw refused('cli.notRoot', { text });
  return [name, await realPath(resolve(shell.cwd, path))];
}
