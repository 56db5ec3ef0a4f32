import { say } from '../../contract/messages/words.ts';
import { askInParts, LYING_IN_TRASH, NOT_WORTH_KEEPING, type TrashDone, type TrashPlan } from '../../contract/trash.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { TrashStore } from '../../engine/db/trash-store.ts';
import { withQuietEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { viewDataFolder, wantedProjects } from '../look.ts';
import { printOne, progressLine } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { commandLine, printTo, type Session } from '../session.ts';
import { agree } from '../shell.ts';
import { BATCH, JSON_LINES, OF_PROJECT, PROJECT, verb, word, type Given } from '../verb.ts';
import { fitting, namedOrFitting, requireReadable } from './takes.ts';

const DRY_RUN = word('--dry-run', 'cli.optTrashDryRun');
const WHERE = word('--where <query>', 'cli.optWhere');
const MOVED = [PROJECT, BATCH, WHERE, DRY_RUN, JSON_LINES, word('--take <ids...>', 'cli.optTakes')] as const;
const EMPTIED = [OF_PROJECT, word('--yes', 'cli.optYesEmpty'), DRY_RUN, JSON_LINES] as const;

type TrashOptions = Given<typeof MOVED>;

export const verbs = [
  // A search is required, so that a slip does not put all takes away.
  verb('takes trash', 'cli.helpTakes.trash', MOVED, (session, options) =>
    putAway(session, options, namedOrFitting(session, options, 'state:saved')),
  ),
  verb('takes restore', 'cli.helpTakes.restore', MOVED, (session, options) => {
    const takeIds = namedOrFitting(session, options, 'state:trashed');
    if (options.dryRun) return report(session, options, 'would_restore', { ...nothing, takes: takeIds.length });
    return move(session, options, takeIds, 'restored');
  }),
  verb(
    'takes keep',
    'cli.helpTakes.keep',
    [PROJECT, BATCH, word('--where <query>', 'cli.optKeepWhere'), DRY_RUN, JSON_LINES],
    keepTakes,
  ),
  verb('takes empty-trash', 'cli.helpEmptyTrash', EMPTIED, emptyTrash),
];

/** Moves all takes to the trash except those that fit: picks and 4 and 5 stars by default. */
function keepTakes(session: Session, { where, ...scope }: Omit<TrashOptions, 'take'>): Promise<ExitStatus> {
  if (scope.project === undefined) throw new UsageError(say('cli.keepWhere'), say('cli.keepWhereRemedy'));
  if (where === undefined) {
    return putAway(session, scope, fitting(session, scope, `state:saved ${NOT_WORTH_KEEPING}`));
  }
  requireReadable(where);
  const kept = new Set(fitting(session, scope, where));
  const others = fitting(session, scope, 'state:saved').filter((id) => !kept.has(id));
  return putAway(session, scope, others);
}

async function emptyTrash(session: Session, options: Given<typeof EMPTIED>): Promise<ExitStatus> {
  const size = viewDataFolder(session.dataFolder, (view) => {
    const [project] = wantedProjects(view, options, session);
    return project ? new TrashStore(view.db).size(project.id) : null;
  });
  if (size === null) throw new UsageError(say('cli.noTakesYet'), say('cli.otherDataFolder'));
  if (options.dryRun) return report(session, options, 'would_empty', { ...nothing, ...size });
  const takeIds = fitting(session, options, LYING_IN_TRASH);
  if (takeIds.length > 0 && !options.yes) {
    const question = say('cli.emptyQuestion', { takes: size.takes, size: bytesForPeople(size.bytes) });
    const remedy = say('cli.emptyRemedy');
    await agree(session.shell, {
      question,
      refusal: [question, remedy],
      declined: [say('cli.nothingRemoved'), remedy],
    });
  }
  return move(session, options, takeIds, 'emptied');
}

const nothing: Omit<TrashDone, 'takeIds'> = { takes: 0, files: 0, bytes: 0, kept: 0, reasons: [] };

const putAway = (session: Session, options: TrashOptions, takeIds: readonly string[]): Promise<ExitStatus> =>
  move(session, options, takeIds, options.dryRun ? 'would_trash' : 'trashed');

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
    const left = total - asked;
    if (asked > 0) report(session, options, outcome, moved);
    if (asked > 0 && left > 0) {
      printOne(session, options.json, { type: 'left', takes: left }, say('trash.left', { left }));
    }
  }
  if (asked < total) interrupted.throwIfAborted();
  return exitStatus.saved;
}

type Outcome = keyof typeof MOVES | 'would_restore' | 'would_empty';

function report(
  session: Session,
  options: TrashOptions,
  outcome: Outcome,
  { takes, files, bytes, kept, reasons, ...rest }: Omit<TrashDone, 'takeIds'> | TrashPlan,
): ExitStatus {
  const { stdout } = session.shell;
  if (options.json) {
    const facts = { takes, files, bytes, kept, ...('picks' in rest && { picks: rest.picks, unjudged: rest.unjudged }) };
    stdout.write(jsonLine({ type: outcome, ...facts }));
    for (const { takeId: id, shot, take, problem: reason } of reasons) {
      stdout.write(jsonLine({ type: 'stays', id, shot, take, reason }));
    }
    return exitStatus.saved;
  }
  const print = printTo(session);
  print(say(`cli.trash.${outcome}`, { takes, files, size: bytesForPeople(bytes) }));
  if ('picks' in rest && rest.picks > 0) print(say('trash.picksAmongThem', { count: rest.picks }));
  for (const { shot, take, problem } of reasons) {
    print(say('cli.takeStays', { shot: plainText(shot), take, reason: plainText(problem) }));
  }
  if (kept > reasons.length) print(say('cli.moreTakesStay', { count: kept - reasons.length }));
  if (outcome === 'trashed' && takes > 0) {
    print(say('cli.trashRestoreWith', { command: commandLine(session.options, ...restoring(options)) }));
  }
  return exitStatus.saved;
}

/** The command that restores what these options have put away. */
const restoring = ({ project, batch, where = 'state:trashed', take }: TrashOptions): string[] => [
  ...['takes', 'restore'],
  ...(project === undefined ? [] : ['--project', project]),
  ...(batch === undefined ? [] : ['--batch', batch]),
  ...(take ? ['--take', ...take] : ['--where', where]),
];
