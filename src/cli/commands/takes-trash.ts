import type { Api } from '../engine/connection.ts';
import type { Text } from '../../contract/messages/message.ts';
import { say } from '../../contract/messages/words.ts';
import { askInParts, LYING_IN_TRASH, NOT_WORTH_KEEPING, type TrashDone, type TrashPlan } from '../../contract/trash.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { TrashStore } from '../../engine/db/trash-store.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { progressLine } from '../output/progress-line.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { viewDataFolder, wantedProjects } from '../read-only-view.ts';
import { commandLine, printTo, type Session } from '../session.ts';
import { canAsk } from '../shell.ts';
import { requireReadable } from './takes-list.ts';
import { fitting, namedOrFitting, type TakesWanted } from './wanted-takes.ts';

export interface TrashOptions extends TakesWanted {
  readonly dryRun?: boolean;
}

/** Moves the files of the takes that fit to the trash of their project. A search is required. */
function trashTakes(session: Session, options: TrashOptions): Promise<ExitStatus> {
  return putAway(session, options, namedOrFitting(session, options, 'state:saved'));
}

/** Moves all takes to the trash except those that fit: picks and 4 and 5 stars by default. */
function keepTakes(session: Session, options: TrashOptions): Promise<ExitStatus> {
  if (options.project === undefined) throw new UsageError(say('cli.keepWhere'), say('cli.keepWhereRemedy'));
  const { where } = options;
  if (where === undefined)
    return putAway(session, options, fitting(session, options, `state:saved ${NOT_WORTH_KEEPING}`));
  requireReadable(where);
  const kept = new Set(fitting(session, options, where));
  // The matching takes are the ones to keep.
  const { where: _, ...scope } = options;
  return putAway(
    session,
    scope,
    fitting(session, options, 'state:saved').filter((id) => !kept.has(id)),
  );
}

/** Moves the files of the takes that fit back to their places. */
async function restoreTakes(session: Session, options: TrashOptions): Promise<ExitStatus> {
  const takeIds = namedOrFitting(session, options, 'state:trashed');
  if (options.dryRun) return report(session, options, 'would_restore', { ...nothing, takes: takeIds.length });
  return move(session, options, takeIds, 'restored');
}

export const trashCommands = { trash: trashTakes, restore: restoreTakes, keep: keepTakes } as const;

export interface EmptyOptions {
  readonly project: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Permanently removes the trash of a project that a person was asked about, after they agreed. */
export async function emptyTrash(session: Session, options: EmptyOptions): Promise<ExitStatus> {
  const size = viewDataFolder(session.dataFolder, (view) => {
    const [project] = view ? wantedProjects(view, options, session) : [];
    return view && project ? new TrashStore(view.db.facts).size(project.id) : null;
  });
  if (size === null) throw new UsageError(say('cli.noTakesYet'), say('cli.otherDataFolder'));
  if (options.dryRun) return report(session, options, 'would_empty', { ...nothing, ...size });
  const takeIds = fitting(session, options, LYING_IN_TRASH);
  const facts = { takes: size.takes, size: bytesForPeople(size.bytes) };
  if (takeIds.length > 0 && !options.yes) await agree(session, say('cli.emptyQuestion', facts));
  return move(session, options, takeIds, 'emptied');
}

const nothing: Omit<TrashDone, 'takeIds'> = { takes: 0, files: 0, bytes: 0, kept: 0, reasons: [] };

async function agree({ shell }: Session, question: string): Promise<void> {
  const remedy = say('cli.emptyRemedy');
  if (!canAsk(shell)) throw new UsageError(question, remedy);
  const questions = await shell.questions();
  if (!(await questions.confirm(question))) throw new UsageError(say('cli.nothingRemoved'), remedy);
}

async function putAway(session: Session, options: TrashOptions, takeIds: readonly string[]): Promise<ExitStatus> {
  return move(session, options, takeIds, options.dryRun ? 'would_trash' : 'trashed');
}

const MOVES = {
  would_trash: ({ takes }: Api, ids: string[]) => takes.trashPlan({ ids }),
  trashed: async ({ takes }: Api, ids: string[]) => (await takes.trash({ ids }))?.result,
  restored: async ({ takes }: Api, ids: string[]) => (await takes.untrash({ ids }))?.result,
  emptied: async ({ takes }: Api, ids: string[]) => (await takes.emptyTrash({ ids }))?.result,
} as const;

/**
 * Handles some takes at a time. If it is interrupted or the engine refuses, what is done stays done, and this is
 * reported.
 */
async function move(
  session: Session,
  options: TrashOptions,
  takeIds: readonly string[],
  outcome: keyof typeof MOVES,
): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  if (takeIds.length === 0) return report(session, options, outcome, nothing);
  const line = progressLine(shell);
  const total = takeIds.length;
  let moved: Omit<TrashDone, 'takeIds'> | TrashPlan = nothing;
  let asked = 0;
  try {
    await withQuietEngine(session, 'dailies takes', async ({ api }) => {
      const ask = async (ids: string[]): Promise<TrashDone | TrashPlan> =>
        (await MOVES[outcome](api, ids)) ?? { ...nothing, takeIds: [] };
      for await (const part of askInParts(takeIds, ask)) {
        ({ sum: moved, asked } = part);
        line.show(() => say('cli.trashProgress', { asked, total }));
        if (interrupted.aborted) break;
      }
    });
  } finally {
    line.clear();
    if (asked > 0) report(session, options, outcome, moved);
    if (asked > 0 && asked < total) reportLeft(session, options, total - asked);
  }
  if (asked < total) interrupted.throwIfAborted();
  return exitStatus.saved;
}

function reportLeft(session: Session, { json }: TrashOptions, left: number): void {
  if (json) session.shell.stdout.write(jsonLine({ type: 'left', takes: left }));
  else printTo(session)(say('trash.left', { left }));
}

/** The command that restores what these options have put away. */
function restoring({ project, batch, where = 'state:trashed', take }: TrashOptions): string[] {
  return [
    ...['takes', 'restore'],
    ...(project === undefined ? [] : ['--project', project]),
    ...(batch === undefined ? [] : ['--batch', batch]),
    ...(take ? ['--take', ...take] : ['--where', where]),
  ];
}

type Outcome = 'would_trash' | 'trashed' | 'would_restore' | 'restored' | 'would_empty' | 'emptied';

function report(
  session: Session,
  options: TrashOptions,
  outcome: Outcome,
  { takes, files, bytes, kept, reasons, ...rest }: Omit<TrashDone, 'takeIds'> | TrashPlan,
): ExitStatus {
  if (options.json) {
    const facts = { takes, files, bytes, kept, ...('picks' in rest && { picks: rest.picks, unjudged: rest.unjudged }) };
    session.shell.stdout.write(jsonLine({ type: outcome, ...facts }));
    for (const { takeId, shot, take, problem } of reasons) {
      session.shell.stdout.write(jsonLine({ type: 'stays', id: takeId, shot, take, reason: problem }));
    }
    return exitStatus.saved;
  }
  const print = printTo(session);
  const facts = { takes, files, size: bytesForPeople(bytes) };
  print(say(`cli.trash.${outcome}`, facts));
  if ('picks' in rest && rest.picks > 0) print(say('trash.picksAmongThem', { count: rest.picks }));
  for (const { shot, take, problem } of reasons) {
    print(say('cli.takeStays', { shot: plainText(shot), take, reason: plainText(problem satisfies Text) }));
  }
  if (kept > reasons.length) print(say('cli.moreTakesStay', { count: kept - reasons.length }));
  if (outcome === 'trashed' && takes > 0) {
    print(say('cli.trashRestoreWith', { command: commandLine(session.options, ...restoring(options)) }));
  }
  return exitStatus.saved;
}
