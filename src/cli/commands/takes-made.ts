import { continuationOf } from '../../contract/kinds/index.ts';
import { say } from '../../contract/messages/words.ts';
import { windowFor } from '../../contract/night-window.ts';
import { pressed, type NewTake, type TakeDetails, type TakeView } from '../../contract/review.ts';
import { buttonName, buttonsCalled, type TakeButton } from '../../contract/take-extras.ts';
import { momentInWords } from '../../contract/window-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withQuietEngine } from '../connect.ts';
import type { CommandEngine } from '../engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { shortId, takeNamed } from '../named.ts';
import { viewDataFolder } from '../look.ts';
import { printList, printLine } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { estimateLines, holderInWords, takeName } from '../output/words.ts';
import { commandLine, printTo, type Session } from '../session.ts';
import { JSON_LINES, secondsFrom, verb, word, type Given } from '../verb.ts';

const TAKE = word('<TAKE>', 'cli.argTake');
const ACT = [TAKE, word('--button <name>', 'cli.optButton'), JSON_LINES] as const;
const CONTINUE = [
  TAKE,
  word('--at <seconds>', 'cli.optAt', { parse: secondsFrom, required: true }),
  word('--prompt <text>', 'cli.optContinuePrompt'),
  JSON_LINES,
] as const;

export const verbs = [
  verb('takes act', 'cli.helpTakesAct', ACT, actOnTake),
  verb('takes continue', 'cli.helpTakesContinue', CONTINUE, continueTake),
];

/** Presses a button of a finished take; without its name or id, lists them. */
function actOnTake(session: Session, { take: named, button: wanted, json }: Given<typeof ACT>): Promise<ExitStatus> {
  return withTake(session, named, (engine, { recipe, take }) => {
    const buttons = recipe.extras?.buttons ?? [];
    if (wanted === undefined) {
      return printList(session, json, {
        type: 'button',
        rows: buttons,
        object: (button) => button,
        cells: (button) => [plainText(buttonName(button))],
        below: [say(buttons.length === 0 ? 'cli.noButtons' : 'cli.pressButton')],
      });
    }
    const button = buttonCalled(wanted, buttons);
    const newTake = pressed(take, button);
    if (!newTake) throw new UsageError(say('cli.noFileToUse'), say('cli.nameOtherTake'));
    return queue(session, engine, { newTake, words: plainText(buttonName(button)), json });
  });
}

function continueTake(session: Session, options: Given<typeof CONTINUE>): Promise<ExitStatus> {
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

function withTake(
  session: Session,
  named: string,
  work: (engine: CommandEngine, details: TakeDetails) => ExitStatus | Promise<ExitStatus>,
): Promise<ExitStatus> {
  const { id } = takeNamed(session, named);
  return withQuietEngine(session, 'dailies takes', async (engine) =>
    work(engine, await engine.api.takes.details({ takeId: id })),
  );
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
  return printLine(
    session,
    say('cli.takeBackWith', { command: commandLine(session.options, 'jobs', 'cancel', shortId(made.id)) }),
  );
}

function whenSent({ options, shell, dataFolder }: Session, { sharedBy }: CommandEngine, take: TakeView): string {
  if (!sharedBy) return say('cli.sendWith', { command: commandLine(options, 'resume') });
  const other = holderInWords(sharedBy);
  const now = shell.clock.now();
  const windows = viewDataFolder(dataFolder, (view) => view.windows.list());
  const window = windowFor(
    take,
    windows.map((stored) => windowAt(stored, now)),
  );
  if (window?.isOpen !== false || window.changesAt === null)
    return say('cli.sentBy', { other, command: commandLine(options, 'status') });
  return say('cli.sentByAt', { other, time: momentInWords(window.changesAt, window.window.timeZone) });
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
