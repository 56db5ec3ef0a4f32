import { MAX_COPIES, MAX_MORE, type MorePlan, type MoreTakes } from '../../contract/review.ts';
import { priceAlone, priceInWords } from '../../contract/in-words.ts';
import { wholeNote } from '../../contract/frame-words.ts';
import { t } from '../../contract/messages/words.ts';
import { nextOpening, USUAL_HOURS, windowFor } from '../../contract/night-window.ts';
import { escapePrompt } from '../../contract/prompt-library.ts';
import type { Failure } from '../../contract/failure.ts';
import { askByNote, type NoteQuestion, questionsByNote } from '../../contract/tool.ts';
import { withQuietEngine, withSendingEngine } from '../connect.ts';
import type { Api, CommandEngine } from '../engine.ts';
import { type ExitStatus, exitStatus, refused } from '../exit.ts';
import { viewDataFolder } from '../look.ts';
import { printOne, toolFailed } from '../output/list.ts';
import { plainText, shortText, timeOfDay } from '../output/text.ts';
import { estimateLines, failureLine, shortId, takeName, whoContinues } from '../output/words.ts';
import type { Session } from '../session.ts';
import { agree } from '../shell.ts';

interface Agreement {
  readonly rewrite?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly tonight?: boolean;
}

type Wanted = Pick<MoreTakes, 'ids' | 'how'> & Partial<MoreTakes>;

/** `size=1080p`. Throws UsageError. */
export function settingIn(text: string): [column: string, value: string] {
  const [column = ''] = text.split('=', 1);
  const value = text.slice(column.length + 1).trim();
  if (column.trim() === '' || value === '') throw refused('cli.notASetting', { setting: shortText(text, 80) });
  return [column.trim(), value];
}

/** Queues takes that are made otherwise, once a person has agreed to their price. */
export async function queueMore(session: Session, options: Agreement, asked: Wanted): Promise<ExitStatus | undefined> {
  const { ids: all, count = 1, how, note = '' } = asked;
  const { rewrite: model, dryRun = false } = options;
  if (all.length > MAX_MORE) throw refused('cli.tooManyAtOnce', { most: MAX_MORE });
  if (count > MAX_COPIES) throw refused('cli.tooManyCopies', { most: MAX_COPIES });
  if (how === 'retake' && note.trim() === '') throw refused('cli.noteNeeded');
  const notes = how === 'retake' ? notesFor(session, all, note.trim()) : new Map<string, string>();
  const ids = model === undefined ? all : withoutRetakes(session, all, notes, count);
  if (ids.length === 0) return nothing(session, all.length);
  const questions = questionsByNote(ids, (id) => notes.get(id) ?? '');
  const own = Object.fromEntries([...notes].map(([id, ofTake]) => [id, { note: ofTake }]));
  const wanted = { ...asked, ids, own, onlyMissing: true };
  const work = async (engine: CommandEngine): Promise<ExitStatus | undefined> => {
    const { takes, tools } = engine.api;
    const plan = await takes.planMore(wanted);
    const calls = model === undefined ? 0 : questions.length;
    await showPlan(session, engine.api, { plan, calls, model, first: ids[0] ?? '' });
    const { newTakes } = plan;
    if (dryRun) return say(session, t('cli.moreDryRun', { count: newTakes }));
    if (newTakes === 0) return nothing(session, plan.left.length);
    const price = plan.price === null ? t('common.priceUnknown') : priceInWords(plan.price, plan.currency);
    if (!options.yes) await agree(session.shell, t('cli.moreQuestion', { count: newTakes, calls, price }));
    const changed = model === undefined ? null : await rewritten(session, engine.api, { questions, model });
    if (changed && 'failure' in changed) return notRewritten(session, changed.failure);
    const chosen = changed ? Object.keys(changed.own) : ids;
    if (changed && chosen.length > 0 && !options.yes) await agree(session.shell, t('cli.promptsQuestion'));
    const tonight = options.tonight ? await hoursFor(session, engine.api, chosen) : undefined;
    const more = {
      ...wanted,
      ids: chosen,
      newTakes,
      ...(changed && { own: changed.own }),
      ...(tonight && { tonight }),
    };
    const made = chosen.length === 0 ? null : await takes.more(more);
    for (const callId of changed?.calls ?? []) await tools.used({ callId });
    const queued = made?.result ?? [];
    for (const take of queued) printOne(session, { type: 'job', ...take }, `  ${takeName(take)} (${shortId(take.id)})`);
    const left = made?.left?.length ?? 0;
    const line = t('cli.moreQueued', { count: queued.length });
    printOne(session, { type: 'queued', takes: queued.length, left }, line);
    const opens = tonight && nextOpening(tonight, session.shell.clock.now());
    if (opens) say(session, t('cli.moreTonight', { time: timeOfDay(opens) }));
    return say(session, whoContinues(session, engine.sharedBy));
  };
  return model === undefined || dryRun ? withQuietEngine(session, work) : withSendingEngine(session, work);
}

/** Its agreement is to the takes, and not to a second charge for a call that may have been charged. */
function notRewritten(session: Session, failure: Failure): ExitStatus {
  if (failure.cost !== 'maybe') return toolFailed(session, failure);
  session.complain(`${failureLine(failure)}\n${t('cli.rewriteUnclear')}`);
  return exitStatus.undecided;
}

/** To a person: a program reads the objects. */
function say(session: Session, line: string): undefined {
  if (!session.json) session.print(line);
}

async function showPlan(
  session: Session,
  { tools }: Api,
  { plan, calls, model, first }: { plan: MorePlan; calls: number; model: string | undefined; first: string },
): Promise<void> {
  const { left, ...estimate } = plan;
  const projectId = projectOf(session, first);
  const asked = model === undefined ? null : await tools.price({ model, calls, projectId });
  const rewriting = asked && { calls, price: asked.price };
  if (session.json) return session.printJson({ type: 'estimate', ...estimate, left: left.length, rewriting });
  for (const line of estimateLines(plan)) session.print(line);
  if (asked) {
    const price = priceAlone(asked.price, asked.currency, t('common.priceUnknown'));
    session.print(t('cli.rewriteCalls', { calls, price }));
  }
  for (const text of left) session.print(t('cli.takeLeft', { why: plainText(text) }));
}

const projectOf = (session: Session, takeId: string): string =>
  viewDataFolder(session.dataFolder, ({ jobs }) => jobs.get(takeId)?.projectId ?? '');

function nothing(session: Session, left: number): undefined {
  printOne(session, { type: 'queued', takes: 0, left }, t('cli.moreNothing', { left }));
}

/** A prompt that a model has changed is never the same twice: what this note has asked for before is left out. */
function withoutRetakes(
  session: Session,
  ids: readonly string[],
  notes: ReadonlyMap<string, string>,
  count: number,
): string[] {
  return viewDataFolder(session.dataFolder, ({ sources }) =>
    ids.filter((id) => sources.made(id, 'retake').filter(({ note }) => note === notes.get(id)).length < count),
  );
}

/** What each take is to be made otherwise by: the note of the command, and those at its frames. */
const notesFor = (session: Session, ids: readonly string[], note: string): ReadonlyMap<string, string> =>
  viewDataFolder(
    session.dataFolder,
    ({ review }) =>
      new Map(
        ids.flatMap((id) => {
          const take = review.take(id);
          return take ? [[id, wholeNote(take, note)] as const] : [];
        }),
      ),
  );

async function rewritten(
  session: Session,
  { tools, takes }: Api,
  { questions, model }: { questions: readonly NoteQuestion[]; model: string },
) {
  const own: MoreTakes['own'] = {};
  const calls: string[] = [];
  const projectId = projectOf(session, questions[0]?.ids[0] ?? '');
  for (const { note, ids } of questions) {
    const piece = await Promise.all(ids.map((takeId) => takes.details({ takeId })));
    const prompts = piece.map(({ recipe }) => escapePrompt(recipe.shot.prompt));
    const answer = await tools.rewrite({ projectId, model, ask: askByNote(note), prompts });
    if (answer.type === 'failed') return { failure: answer.failure };
    calls.push(answer.callId);
    for (const [index, { take }] of piece.entries()) {
      const [after] = answer.prompts[index] ?? [];
      const before = prompts[index] ?? '';
      const name = takeName(take);
      if (after === undefined || after === before) {
        say(session, t('cli.promptUnchanged', { name, is: after === undefined ? 'other' : 'same' }));
        continue;
      }
      say(session, [name, `  - ${shortText(before, 200)}`, `  + ${shortText(after, 200)}`].join('\n'));
      own[take.id] = { note, prompt: after };
    }
  }
  return { own, calls };
}

/** Of the window of the first take, else the usual ones. */
async function hoursFor(session: Session, api: Api, [first = '']: readonly string[]) {
  const job = viewDataFolder(session.dataFolder, ({ jobs }) => jobs.get(first));
  const { opens, closes } = (job && windowFor(job, await api.windows.list())?.window) ?? USUAL_HOURS;
  return { opens, closes };
}
