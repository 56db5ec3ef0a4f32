import { join, resolve } from 'node:path';
import { continuationFor } from '../../contract/kinds/index.ts';
import { t } from '../../contract/messages/words.ts';
import { frameName, toMarks, toNotes } from '../../contract/frame-changes.ts';
import { frameNoteInWords } from '../../contract/frame-words.ts';
import { type NewTake, pressed, type TakeDetails, tagsOf, type TakeView } from '../../contract/review.ts';
import { buttonName, buttonsCalled, type TakeButton } from '../../contract/take.ts';
import { MAX_TAGS, Verdict, type VerdictChange } from '../../contract/verdict.ts';
import { priceAlone } from '../../contract/in-words.ts';
import { joinSearches } from '../../contract/take-search.ts';
import { askInParts, LYING_IN_TRASH, NOT_WORTH_KEEPING, type TrashDone, type TrashPlan } from '../../contract/trash.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { TrashStore } from '../../engine/db/output-store.ts';
import { exportTakes, takesToExport } from '../../engine/review/export-takes.ts';
import { withQuietEngine } from '../connect.ts';
import type { Api, CommandEngine } from '../engine.ts';
import { refused, UsageError } from '../exit.ts';
import { takeNamed, viewDataFolder, wantedProjects } from '../look.ts';
import { copied, toColumns, printList, printOne, progressLine } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { estimateLines, shortId, takeName, whoContinues } from '../output/words.ts';
import type { Session } from '../session.ts';
import { agree } from '../shell.ts';
import {
  BATCH,
  count,
  type Given,
  JSON_LINES,
  OF_PROJECT,
  PROJECT,
  secondsFrom,
  verb,
  word,
  type Word,
} from '../verb.ts';
import {
  CHOSEN,
  DRY_RUN,
  fitting,
  fittingTakes,
  judge,
  LIST,
  namedOrFitting,
  requireReadable,
  TAGGED,
} from './chosen-takes.ts';
import { frameVerbs } from './frame-verbs.ts';
import { queueMore, settingIn } from './more-takes.ts';

const KEEP = [PROJECT, BATCH, word('--where <query>', 'cli.optKeepWhere'), DRY_RUN, JSON_LINES] as const;
const EMPTY = [OF_PROJECT, word('--yes', 'cli.optYesEmpty'), DRY_RUN, JSON_LINES] as const;
const REFRESH = [
  ...[PROJECT, BATCH, word('--where <query>', 'cli.optRefreshWhere'), word('--take <ids...>', 'cli.argJobId')],
  ...[word('--yes', 'cli.optYesCharges'), DRY_RUN, JSON_LINES],
] as const;
const TAKE = word('<TAKE>', 'cli.argJobId');
const EXPORT = [
  word('--to <dir>', 'cli.optExportSelectsTo', { required: true }),
  PROJECT,
  BATCH,
  word('--where <query>', 'cli.optExportWhere'),
  word('--view <name>', 'cli.optView'),
  JSON_LINES,
] as const;
const SHOW = [TAKE, JSON_LINES] as const;
const ACT = [TAKE, word('--button <name>', 'cli.optButton'), JSON_LINES] as const;
const CONTINUE = [
  TAKE,
  word('--at <seconds>', 'cli.optAt', { parse: secondsFrom, required: true }),
  word('--prompt <text>', 'cli.optContinuePrompt'),
  JSON_LINES,
] as const;

const AGREED = [
  ...TAGGED,
  DRY_RUN,
  word('--yes', 'cli.optYesCharges'),
  word('--tonight', 'cli.optTonightTakes'),
] as const;
const AGAIN = [word('--set <column=value>', 'cli.optAgainSet', { several: true, required: true }), ...AGREED] as const;
const RETAKE = [
  word('--note <text>', 'cli.optRetakeNote', { required: true }),
  word('--prompt <text>', 'cli.optRetakePrompt', { conflicts: ['rewrite'] }),
  word('--rewrite <model>', 'cli.optRewriteModel'),
  word('--count <n>', 'cli.optRetakeCount', { parse: count }),
  ...AGREED,
] as const;

export const verbs = [
  verb('takes list', 'cli.helpTakesList', LIST, (session, options) => {
    requireReadable(options.where);
    const rows = viewDataFolder(session.dataFolder, (view) =>
      fittingTakes(view, options, session).flatMap(({ id, folder }) => {
        const take = view.review.take(id);
        return take ? [{ take, folder }] : [];
      }),
    );
    printList(session, {
      type: 'take',
      rows,
      object: takeObject,
      columns: toColumns(
        ...([
          'cli.id',
          'common.batch',
          'common.shot',
          '>common.take',
          'common.state',
          '>review.rating',
          'review.flag',
        ] as const),
        ...(['review.tags', 'common.files'] as const),
      ),
      cells: ({ take: { id, batch, shot, take, trash, state, verdict, files } }) => [
        ...[shortId(id), shortText(batch, 24), shortText(shot, 24), String(take)],
        ...[(trash ?? state).replaceAll('_', ' '), verdict.rating === 0 ? '' : String(verdict.rating)],
        ...[verdict.flag ?? '', shortText(tagsOf(verdict).join(', '), 24), files.map(plainText).join(', ')],
      ],
      below: [t('common.takes', { count: rows.length })],
    });
  }),
  verb('takes show', 'cli.helpTakesShow', SHOW, (session, { take: named }) => {
    const { id } = takeNamed(session, named);
    const [shown] = viewDataFolder(session.dataFolder, ({ review, projects }) => {
      const take = review.take(id);
      return take ? [{ take, folder: projects.get(take.projectId)?.path ?? '' }] : [];
    });
    if (!shown) throw refused('cli.noTakesYet');
    printOne(session, { type: 'take', ...takeObject(shown) }, takeLines(shown.take).join('\n'));
  }),
  tagging('takes tag', 'tagged', 'addTags'),
  tagging('takes untag', 'untagged', 'removeTags'),
  judging('rate', [word('<STARS>', 'cli.argStars')], ({ stars = '' }) => {
    const rating = Verdict.shape.rating.safeParse(/^\d$/.test(stars) ? Number(stars) : null);
    if (!rating.success) throw refused('cli.notStars');
    return [{ rating: rating.data }, t('review.stars', { stars: rating.data })];
  }),
  judging('pick', [], () => [{ flag: 'pick' }, t('review.picked')]),
  judging('alternate', [], () => [{ flag: 'alternate' }, t('review.alternate')]),
  judging('reject', [], () => [{ flag: 'reject' }, t('review.rejected')]),
  judging('unflag', [], () => [{ flag: null }, t('review.noFlag')]),
  ...frameVerbs,
  verb('takes export', 'cli.helpTakesExport', EXPORT, async (session, { to, ...options }) => {
    const where = options.where ?? (options.view === undefined ? 'flag:pick' : '');
    requireReadable(where);
    const done = await viewDataFolder(session.dataFolder, (view) => {
      const found = fittingTakes(view, { ...options, where: `state:saved ${where}` }, session);
      const takes = found.flatMap(({ id }) => view.review.take(id) ?? []);
      if (takes.length === 0) throw refused('cli.noSelects');
      return copied(session, exportTakes(takesToExport(view, takes), resolve(session.shell.cwd, to)));
    });
    const { files, folder } = done;
    printOne(
      session,
      { type: 'exported', ...done },
      t('review.exportDone', { count: files, folder: plainText(folder) }),
    );
  }),
  verb('takes trash', 'trash.moveToTrash', CHOSEN, (session, options) =>
    putAway(session, options, namedOrFitting(session, options, 'state:saved')),
  ),
  verb('takes restore', 'trash.restoreFromTrash', CHOSEN, async (session, options) => {
    const takeIds = namedOrFitting(session, options, 'state:trashed');
    if (options.dryRun) return report(session, options, 'would_restore', { ...nothing, takes: takeIds.length });
    return move(session, options, takeIds, 'restored');
  }),
  /** Moves all takes to the trash except those that fit: picks and 4 and 5 stars by default. */
  verb('takes keep', 'cli.helpTakes.keep', KEEP, (session, { where, ...scope }) => {
    if (scope.project === undefined) throw refused('cli.keepWhere');
    if (where === undefined) {
      return putAway(session, scope, fitting(session, scope, `state:saved ${NOT_WORTH_KEEPING}`));
    }
    requireReadable(where);
    const kept = new Set(fitting(session, scope, where));
    const others = fitting(session, scope, 'state:saved').filter((id) => !kept.has(id));
    return putAway(session, scope, others);
  }),
  verb('takes empty-trash', 'cli.helpEmptyTrash', EMPTY, async (session, options) => {
    const size = viewDataFolder(session.dataFolder, (view) => {
      const [project] = wantedProjects(view, options, session);
      return project ? new TrashStore(view.db).size(project.id) : null;
    });
    if (size === null) throw refused('cli.noTakesYet');
    if (options.dryRun) return report(session, options, 'would_empty', { ...nothing, ...size });
    const takeIds = fitting(session, options, LYING_IN_TRASH);
    if (takeIds.length > 0 && !options.yes) {
      const question = t('cli.emptyQuestion', { takes: size.takes, size: bytesForPeople(size.bytes) });
      await agree(session.shell, question);
    }
    return move(session, options, takeIds, 'emptied');
  }),
  /** Only stale takes: what else fits is left. Nothing is queued before a person has agreed to the price. */
  verb('takes refresh', 'cli.helpTakesRefresh', REFRESH, async (session, { yes, dryRun, ...options }) => {
    const ids = options.take
      ? namedOrFitting(session, options)
      : fitting(session, options, joinSearches(options.where ?? '', 'is:stale'));
    if (ids.length === 0) return printOne(session, { type: 'refreshed', takes: 0 }, t('stale.none'));
    return withQuietEngine(session, async ({ api, sharedBy }) => {
      const { ids: stale, left, newTakes: count, ...estimate } = await api.takes.refreshPlan({ ids });
      const { price, unpriced, currency } = estimate;
      const facts = { takes: count, left, price, unpriced, currency };
      const cost = priceAlone(price, currency, t('common.priceUnknown'));
      for (const each of session.json ? [] : estimateLines({ ...estimate, newTakes: count })) session.print(each);
      if (count === 0) return printOne(session, { type: 'refreshed', ...facts }, t('stale.none'));
      if (dryRun) return printOne(session, { type: 'would_refresh', ...facts }, t('cli.wouldRefresh', { count, cost }));
      if (!yes) await agree(session.shell, t('cli.refreshQuestion', { count, cost }));
      const done = await api.takes.refresh({ ids: stale });
      const takes = done?.result.takes ?? 0;
      printOne(session, { type: 'refreshed', ...facts, takes }, t('cli.refreshed', { count: takes }));
      if (!session.json) session.print(whoContinues(session, sharedBy));
    });
  }),
  /** Presses a button of a finished take; without its name or id, lists them. */
  verb('takes act', 'cli.helpTakesAct', ACT, (session, { take: named, button: wanted }) =>
    withTake(session, named, (engine, { recipe, take }) => {
      const buttons = recipe.extras?.buttons ?? [];
      if (wanted === undefined) {
        return printList(session, {
          type: 'button',
          rows: buttons,
          cells: (button) => [plainText(buttonName(button))],
          below: [t(buttons.length === 0 ? 'cli.noButtons' : 'cli.pressButton')],
        });
      }
      const button = buttonCalled(wanted, buttons);
      const newTake = pressed(take, button);
      if (!newTake) throw refused('cli.noFileToUse');
      return queueTake(session, engine, newTake, plainText(buttonName(button)));
    }),
  ),
  verb('takes continue', 'cli.helpTakesContinue', CONTINUE, (session, { take: named, at, prompt }) =>
    withTake(session, named, (engine, { take }) => {
      const columns = continuationFor(take.kind);
      const [file] = take.outputs;
      if (!columns || !file) {
        throw columns ? refused('cli.noFileToUse') : refused('cli.cannotContinue', { kind: take.kind });
      }
      const newTake: NewTake = {
        takeId: take.id,
        changes: { cells: { [columns.at]: String(at) }, ...(prompt !== undefined && { prompt }) },
        derivation: { how: 'extend', source: { parameter: columns.name, output: file.number } },
      };
      return queueTake(session, engine, newTake, t('cli.fromSecond', { seconds: at }));
    }),
  ),
  /** Finals of picks: takes with other settings, of those that were made in this way before only what lacks. */
  verb('takes again', 'cli.helpTakesAgain', AGAIN, (session, { set = [], ...options }) =>
    queueMore(session, options, {
      ids: namedOrFitting(session, options, 'state:saved'),
      how: 'final',
      changes: { cells: Object.fromEntries(set.map(settingIn)) },
    }),
  ),
  /** Takes that a note asks for. With `--rewrite`, a model changes their prompts, which is paid for first. */
  verb('takes retake', 'cli.helpTakesRetake', RETAKE, (session, { note, prompt, count: copies, ...options }) =>
    queueMore(session, options, {
      ids: namedOrFitting(session, options, 'state:saved'),
      ...{ how: 'retake', note },
      ...(prompt !== undefined && { changes: { prompt, cells: {} } }),
      ...(copies !== undefined && { count: copies }),
    }),
  ),
];

function takeObject({ take: shown, folder }: { readonly take: TakeView; readonly folder: string }): object {
  const { id, shot, take, state, standing, kind, model, batch, verdict, trash, stale } = shown;
  const files = shown.files.map((file) => join(folder, file));
  const { rating, flag, note } = verdict;
  return {
    ...{ shot, take, state, standing, file: files[0] ?? null, files, ...(trash && { trash }) },
    ...{ id, batch, kind, model, rating, flag, note, tags: tagsOf(verdict) },
    ...{ marks: toMarks(verdict), notes: toNotes(verdict) },
    ...(stale && { stale }),
  };
}

/** A take with what a person set on it; frame notes by their numbers. */
function takeLines(take: TakeView): string[] {
  const { id, verdict, outputs } = take;
  const rateOf = (output: number) => outputs.find(({ number }) => number === output)?.facts?.rate;
  const { flag, rating, note } = verdict;
  const facts = [
    ...[
      shortId(id),
      (take.trash ?? take.state).replaceAll('_', ' '),
      rating > 0 ? t('review.stars', { stars: rating }) : '',
    ],
    ...[flag ?? '', plainText(tagsOf(verdict).join(', '))],
  ];
  return [
    `${takeName(take)}: ${facts.filter((each) => each !== '').join(', ')}`,
    ...(note === '' ? [] : [`  ${t('common.note')}: ${plainText(note)}`]),
    ...toMarks(verdict).map(({ output, in: from = 0, out }) => {
      const end = out === undefined ? '–' : frameName(out, rateOf(output));
      return `  ${t('cli.marksOfFile', { file: String(output), in: frameName(from, rateOf(output)), out: end })}`;
    }),
    ...toNotes(verdict).map(
      (each, index) => `  ${String(index + 1)}. ${plainText(frameNoteInWords(each, rateOf(each.output)))}`,
    ),
  ];
}

function tagging(name: 'takes tag' | 'takes untag', type: 'tagged' | 'untagged', change: 'addTags' | 'removeTags') {
  const help = type === 'tagged' ? 'cli.helpTakesTag' : 'cli.helpTakesUntag';
  return verb(name, help, [word('<TAGS...>', 'cli.argTags'), ...TAGGED], async (session, options) => {
    const { tags } = options;
    if (tags.length > MAX_TAGS) throw refused('cli.mostTags', { most: MAX_TAGS });
    const takeIds = namedOrFitting(session, options);
    await judge(session, takeIds, { [change]: [...tags] });
    const facts = { count: takeIds.length, change: type, tags: tags.map(plainText) };
    printOne(session, { type, tags, takes: takeIds.length }, t('cli.takesTagged', facts));
  });
}

/** A verb that sets something of a verdict; `changeOf` says what, with its text for a person. */
function judging(
  name: 'rate' | 'pick' | 'alternate' | 'reject' | 'unflag',
  argument: readonly Word[],
  changeOf: (given: { readonly stars?: string }) => readonly [VerdictChange, string],
) {
  return verb(`takes ${name}`, `cli.helpTakes.${name}`, [...argument, ...CHOSEN], async (session, options) => {
    const [change, verdict] = changeOf(options as object);
    const takeIds = namedOrFitting(session, options);
    // Before anything is set: the engine judges a part of them at a time.
    if (change.flag === 'pick') viewDataFolder(session.dataFolder, (view) => view.review.requireOnePickEach(takeIds));
    if (!options.dryRun) await judge(session, takeIds, change);
    const type = options.dryRun ? 'would_judge' : 'judged';
    const line = t('cli.takesJudged', { count: takeIds.length, change: type, verdict });
    printOne(session, { type, ...change, takes: takeIds.length }, line);
  });
}

type TrashOptions = Partial<Given<typeof CHOSEN>>;
type Moved = Omit<TrashDone, 'takeIds'> | TrashPlan;

const nothing: Moved = { takes: 0, files: 0, bytes: 0, kept: 0, reasons: [] };

const putAway = (session: Session, options: TrashOptions, takeIds: readonly string[]): Promise<void> =>
  move(session, options, takeIds, options.dryRun ? 'would_trash' : 'trashed');

const MOVES = {
  would_trash: ({ takes }: Api, ids: string[]) => takes.trashPlan({ ids }),
  trashed: async ({ takes }: Api, ids: string[]) => (await takes.trash({ ids }))?.result,
  restored: async ({ takes }: Api, ids: string[]) => (await takes.untrash({ ids }))?.result,
  emptied: async ({ takes }: Api, ids: string[]) => (await takes.emptyTrash({ ids }))?.result,
} as const;

/** Handles some takes at a time. After an interruption or refusal, what is done stays done, and is reported. */
async function move(
  session: Session,
  options: TrashOptions,
  takeIds: readonly string[],
  outcome: keyof typeof MOVES,
): Promise<void> {
  const { shell, interrupted } = session;
  if (takeIds.length === 0) return report(session, options, outcome, nothing);
  const line = progressLine(shell);
  const total = takeIds.length;
  let moved = nothing;
  let asked = 0;
  try {
    await withQuietEngine(session, async ({ api }) => {
      const ask = async (ids: string[]): Promise<TrashDone | TrashPlan> =>
        (await MOVES[outcome](api, ids)) ?? { ...nothing, takeIds: [] };
      for await (const part of askInParts(takeIds, ask)) {
        ({ sum: moved, asked } = part);
        line.show(() => t('status.running', { done: asked, total }));
        if (interrupted.aborted) break;
      }
    });
  } finally {
    line.clear();
    const left = total - asked;
    if (asked > 0) report(session, options, outcome, moved);
    if (asked > 0 && left > 0) printOne(session, { type: 'left', takes: left }, t('trash.left', { left }));
  }
  if (asked < total) interrupted.throwIfAborted();
}

function report(
  session: Session,
  { project, batch, where = 'state:trashed', take: named }: TrashOptions,
  outcome: keyof typeof MOVES | 'would_restore' | 'would_empty',
  { takes, files, bytes, kept, reasons, ...rest }: Moved,
): void {
  const { print } = session;
  const facts = { takes, files, bytes, kept, ...('picks' in rest && { picks: rest.picks, unjudged: rest.unjudged }) };
  const line = t(`cli.trash.${outcome}`, { takes, files, size: bytesForPeople(bytes) });
  printOne(session, { type: outcome, ...facts }, line);
  if (!session.json && 'picks' in rest && rest.picks > 0) print(t('trash.picksAmongThem', { count: rest.picks }));
  printList(session, {
    type: 'stays',
    rows: reasons,
    object: ({ takeId: id, shot, take, problem: reason }) => ({ id, shot, take, reason }),
    cells: ({ shot, take, problem }) => [
      t('trash.takeStays', { shot: plainText(shot), take, reason: plainText(problem) }),
    ],
    below: [kept > reasons.length ? t('cli.moreTakesStay', { count: kept - reasons.length }) : ''],
  });
  if (session.json || outcome !== 'trashed' || takes === 0) return;
  // The command that restores what these options have put away.
  const restoring = [
    ...(project === undefined ? [] : ['--project', project]),
    ...(batch === undefined ? [] : ['--batch', batch]),
    ...(named ? ['--take', ...named] : ['--where', where]),
  ];
  print(t('cli.trashRestoreWith', { command: session.line('takes', 'restore', ...restoring) }));
}

function withTake(
  session: Session,
  named: string,
  work: (engine: CommandEngine, details: TakeDetails) => void | Promise<void>,
): Promise<void> {
  const { id } = takeNamed(session, named);
  return withQuietEngine(session, async (engine) => work(engine, await engine.api.takes.details({ takeId: id })));
}

/** `what`: how the new take relates to the one before. */
async function queueTake(session: Session, engine: CommandEngine, newTake: NewTake, what: string): Promise<void> {
  const { print, line } = session;
  const estimate = await engine.api.takes.estimate(newTake);
  const made = (await engine.api.takes.another(newTake))?.result;
  if (!made) return;
  if (session.json) return session.printJson({ type: 'job', ...made });
  for (const each of estimateLines(estimate)) print(each);
  const id = shortId(made.id);
  print(t('cli.queued', { what, take: takeName(made), id }));
  print(whoContinues(session, engine.sharedBy));
  print(t('cli.takeBackWith', { command: line('jobs', 'cancel', id) }));
}

function buttonCalled(wanted: string, buttons: readonly TakeButton[]): TakeButton {
  const found = buttonsCalled(wanted, buttons);
  const [button, ...others] = found;
  if (button && others.length === 0) return button;
  const names = buttons.map((each) => plainText(buttonName(each))).join(', ');
  throw new UsageError(
    t('cli.notOneButton', { count: found.length, button: plainText(wanted) }),
    buttons.length === 0 ? t('cli.noButtons') : t('cli.buttonNames', { names }),
  );
}
