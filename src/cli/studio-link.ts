import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { t } from '../contract/messages/words.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import { machineId, nonEmpty } from '../host/data-folder.ts';
import type { HostedEngine } from '../host/hosted-engine.ts';
import { writeWhole } from '../host/settings-file.ts';
import type { StudioDatabase } from '../studio/database.ts';
import type { MemberOptions } from '../studio/member.ts';
import { refused, UsageError } from './exit.ts';
import type { Session } from './session.ts';

/** What `dailies worker` was told last, for commands that hand lists over: name and roots of this machine. */
const Remembered = z.object({ machine: z.string(), roots: z.record(z.string(), z.string()) });
type Remembered = z.infer<typeof Remembered>;

const fileIn = ({ dataFolder }: Session): string => join(dataFolder, 'studio.json');

function remembered(session: Session): Remembered | null {
  try {
    return Remembered.parse(JSON.parse(readFileSync(fileIn(session), 'utf8')));
  } catch {
    return null;
  }
}

export interface MachineGiven {
  readonly name?: string | undefined;
  readonly root?: readonly string[] | undefined;
}

export interface MachineHere {
  readonly machine: string;
  readonly roots: ReadonlyMap<string, string>;
}

/** The name and the roots of this machine: as given here, else as remembered. Throws UsageError without any root. */
export async function machineHere(session: Session, { name, root = [] }: MachineGiven): Promise<MachineHere> {
  const before = remembered(session);
  const machine = name ?? before?.machine ?? hostname();
  const given = await Promise.all(root.map((each) => readRoot(session, each)));
  const roots = new Map(given.length > 0 ? given : Object.entries(before?.roots ?? {}));
  if (roots.size === 0) throw refused('cli.studioWithoutRoot');
  writeWhole(fileIn(session), `${JSON.stringify({ machine, roots: Object.fromEntries(roots) }, null, 2)}\n`);
  return { machine, roots };
}

/** `nas=/mnt/nas`. */
async function readRoot({ shell }: Session, text: string): Promise<readonly [name: string, path: string]> {
  const [, name, path] = /^([\w-]{1,50})=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw refused('cli.notRoot', { text });
  return [name, await realPath(resolve(shell.cwd, path))];
}

/** Connects an engine of this process to the studio. Loaded only with a studio: nothing else here needs its database. */
export async function openStudio(
  session: Session,
  { engine, services }: HostedEngine,
  { machine, roots }: MachineHere,
): Promise<MemberOptions> {
  const { shell } = session;
  const address = nonEmpty(shell.env['DAILIES_STUDIO']);
  if (address === undefined) throw new UsageError(t('failure.noStudio'), t('cli.remedyNoStudio'));
  const [{ connectStudio, NOTHING_SEEN }, { parseStudioUrl }] = await Promise.all([
    import('../studio/database.ts'),
    import('../studio/address.ts'),
  ]);
  const { studio } = engine.stores.jobs;
  const { address: where, password } = parseStudioUrl(address);
  const { clock, logger } = services.host;
  const seen = { ...NOTHING_SEEN, ...studio.seen() };
  const instance = `${machineId(shell) ?? hostname()} ${await realPath(session.dataFolder)}`;
  const access = { address: where, password, logger };
  const visitor = await connectStudio({ ...access, machine: null, seen: NOTHING_SEEN });
  try {
    await visitor.join(userInfo().username, machine, instance);
  } finally {
    await visitor.close();
  }
  const database: StudioDatabase = await connectStudio({ ...access, machine: { name: machine, instance }, seen });
  const [id = ''] = (database.seen.studio ?? '').split('/');
  return { engine, database, studio: id, machine, roots, clock, logger };
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
