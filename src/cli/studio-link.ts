import { resolve } from 'node:path';
import { realPath } from '../engine/files/existing-paths.ts';
import type { HostedEngine } from '../host/hosted-engine.ts';
import type { MemberOptions } from '../studio/member.ts';
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
const membership = () => import('../studio/membership.ts');

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

/**
 * Connects an engine of this process to the studio, as the machine of its data folder. One that was declared dead, or has
 * another name now, joins first.
 */
export async function openStudio(
  { shell, dataFolder }: Session,
  { engine, services }: HostedEngine,
  { machine, person, roots }: MachineHere,
): Promise<MemberOptions> {
  const { readMembership, writeMembership, connectMember, findStudio } = await membership();
  const { connectStudio, NOTHING_SEEN } = await import('../studio/database.ts');
  const { clock, logger } = services.host;
  const known = readMembership(dataFolder);
  if (known && known.machine !== machine) {
    const visitor = await connectStudio({
      ...(await findStudio(shell, dataFolder)),
      ...{ machine: null, logger, seen: NOTHING_SEEN },
    });
    try {
      await visitor.join(person, machine, known.instance);
    } finally {
      await visitor.close();
    }
    writeMembership(dataFolder, { address: known.address, machine });
  }
  const database = await connectMember(shell, dataFolder, { logger, seen: engine.stores.jobs.studio.seen() });
  if (database.isFenced && known) await database.join(person, machine, known.instance);
  const [studio = ''] = (database.seen.studio ?? '').split('/');
  return { engine, database, studio, machine, roots, clock, logger };
}

/** Makes the engine of a command a member of the studio, to hand a list over. Returns what ends that. */
export async function joinToHandOver(session: Session, hosted: HostedEngine, here: MachineHere) {
  const options = await openStudio(session, hosted, here);
  const [{ joinStudio }, { createDesk }] = await Promise.all([
    import('../studio/member.ts'),
    import('../studio/hand-over.ts'),
  ]);
  const member = joinStudio(options);
  hosted.engine.studio.desk = createDesk(member, options);
  return {
    pull: () => member.pull(),
    async leave(): Promise<void> {
      await member.leave();
      await options.database.close();
    },
  };
}
