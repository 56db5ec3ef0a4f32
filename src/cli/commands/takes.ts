import { say } from '../../contract/messages/words.ts';
import type { JobView } from '../../contract/job.ts';
import { continuationOf } from '../../contract/kinds/index.ts';
import { windowFor } from '../../contract/night-window.ts';
import { pressed, type NewTake, type TakeDetails, type TakeView } from '../../contract/review.ts';
import { buttonName, buttonsCalled, type TakeButton } from '../../contract/take-extras.ts';
import { momentInWords } from '../../contract/window-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import type { CommandEngine } from '../engine/command-engine.ts';
import { inWords } from '../engine/shared-errors.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jobNamed, shortId } from '../job-ids.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { estimateLines, takeName } from '../output/words.ts';
import { viewDataFolder } from '../read-only-view.ts';
import { commandLine, printTo, type Session } from '../session.ts';

export interface ActOptions {
  readonly take: string;
  /** Name of the button, or its id; all are listed without one. */
  readonly button?: string;
  readonly json?: boolean;
}

/** Presses a button of a finished take: queues a take that is made from it. Sends nothing itself. */
export function actOnTake(session: Session, options: ActOptions): Promise<ExitStatus> {
  return withTake(session, options.take, async (engine, details) => {
    const buttons = details.recipe.extras?.buttons ?? [];
    if (options.button === undefined) return listButtons(session, options, buttons);
    return press(session, engine, { details, buttons, wanted: options.button, json: options.json });
  });
}

export interface ContinueOptions {
  readonly take: string;
  /** Seconds from the beginning of the piece. */
  readonly at: number;
  readonly prompt?: string;
  readonly json?: boolean;
}

/** Queues a take that continues a finished one from a given time. Sends nothing itself. */
export function continueTake(session: Session, options: ContinueOptions): Promise<ExitStatus> {
  return withTake(session, options.take, (engine, { take }) => {
    const columns = continuationOf(take.kind);
    const [file] = take.outputs;
    if (!columns || !file) {
      const problem = columns ? say('cli.noFileToContinue') : say('cli.cannotContinue', { kind: take.kind });
      throw new UsageError(problem, say('cli.nameMusicTake'));
    }
    const { at, prompt, json } = options;
    const newTake: NewTake = {
      takeId: take.id,
      changes: { cells: { [columns.at]: String(at) }, ...(prompt !== undefined && { prompt }) },
      derivation: { how: 'extend', source: { parameter: columns.name, output: file.number } },
    };
    return queue(session, engine, { newTake, words: say('cli.fromSecond', { seconds: at }), json });
  });
}

/** Works with the details of a take and an engine that sends nothing automatically. */
async function withTake(
  session: Session,
  named: string,
  work: (engine: CommandEngine, details: TakeDetails) => ExitStatus | Promise<ExitStatus>,
): Promise<ExitStatus> {
  const take = takeNamed(session, named);
  return withQuietEngine(session, 'dailies takes', async (engine) =>
    work(engine, await engine.api.takes.details({ takeId: take.id })),
  );
}

function listButtons(session: Session, { json }: ActOptions, buttons: readonly TakeButton[]): ExitStatus {
  if (json === true) {
    for (const button of buttons) session.shell.stdout.write(jsonLine({ type: 'button', ...button }));
    return exitStatus.saved;
  }
  const print = printTo(session);
  for (const button of buttons) print(plainText(buttonName(button)));
  print(say(buttons.length === 0 ? 'cli.noButtons' : 'cli.pressButton'));
  return exitStatus.saved;
}

function press(session: Session, engine: CommandEngine, { details, buttons, wanted, json }: Pressing) {
  const button = buttonCalled(wanted, buttons);
  const newTake = pressed(details.take, button);
  if (!newTake) throw new UsageError(say('cli.noFileToUse'), say('cli.nameOtherTake'));
  return queue(session, engine, { newTake, words: plainText(buttonName(button)), json });
}

/** `words`: how the new take relates to the one before. */
async function queue(
  session: Session,
  engine: CommandEngine,
  { newTake, words, json }: { readonly newTake: NewTake; readonly words: string; readonly json: boolean | undefined },
): Promise<ExitStatus> {
  const print = printTo(session);
  const estimate = await engine.api.takes.estimate(newTake);
  const queued = await engine.api.takes.another(newTake);
  if (!queued) return exitStatus.saved;
  const made = queued.result;
  if (json === true) {
    session.shell.stdout.write(jsonLine({ type: 'job', ...made }));
    return exitStatus.saved;
  }
  for (const line of estimateLines(estimate)) print(line);
  print(say('cli.queued', { what: words, take: takeName(made), id: shortId(made.id) }));
  print(whenSent(session, engine, made));
  print(say('cli.takeBackWith', { command: commandLine(session.options, 'jobs', 'cancel', shortId(made.id)) }));
  return exitStatus.saved;
}

/** Who sends a queued take, and when. */
function whenSent(session: Session, { sharedBy }: CommandEngine, take: TakeView): string {
  if (!sharedBy) return say('cli.sendWith', { command: commandLine(session.options, 'resume') });
  const other = inWords(sharedBy);
  const now = session.shell.clock.now();
  const windows = viewDataFolder(session.dataFolder, (view) => view?.windows?.list() ?? []);
  const window = windowFor(
    take,
    windows.map((stored) => windowAt(stored, now)),
  );
  if (window?.isOpen !== false || window.changesAt === null)
    return say('cli.sentBy', { other, command: commandLine(session.options, 'status') });
  return say('cli.sentByAt', { other, time: momentInWords(window.changesAt, window.window.timeZone) });
}

interface Pressing {
  readonly details: TakeDetails;
  readonly buttons: readonly TakeButton[];
  readonly wanted: string;
  readonly json: boolean | undefined;
}

function buttonCalled(wanted: string, buttons: readonly TakeButton[]): TakeButton {
  const found = buttonsCalled(wanted, buttons);
  const [button, ...others] = found;
  if (button && others.length === 0) return button;
  const names = buttons.map((each) => plainText(buttonName(each))).join(', ');
  const called = plainText(wanted);
  throw new UsageError(
    others.length > 0
      ? say('cli.severalButtons', { count: found.length, button: called })
      : say('cli.noButton', { button: called }),
    buttons.length === 0 ? say('cli.noButtons') : say('cli.buttonNames', { names }),
  );
}

export function takeNamed({ dataFolder }: Session, text: string): JobView {
  return viewDataFolder(dataFolder, (view) => {
    if (!view) throw new UsageError(say('cli.noTakesYet'), say('cli.otherDataFolder'));
    const named = jobNamed(text, (id) => view.jobs.list({ ids: [id] }));
    if (named.ok) return named.job;
    throw new UsageError(named.problem, say('cli.nothingQueued'));
  });
}
