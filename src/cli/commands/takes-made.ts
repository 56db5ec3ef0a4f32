import { continuationOf } from '../../contract/kinds/index.ts';
import { say } from '../../contract/messages/words.ts';
import { windowFor } from '../../contract/night-window.ts';
import { pressed, type NewTake, type TakeDetails, type TakeView } from '../../contract/review.ts';
import { buttonName, buttonsCalled, type TakeButton } from '../../contract/take.ts';
import { momentInWords } from '../../contract/in-words.ts';
import { windowAt } from '../../engine/jobs/night-windows.ts';
import { withQuietEngine } from '../connect.ts';
import type { CommandEngine } from '../engine.ts';
import { UsageError } from '../exit.ts';
import { takeNamed, viewDataFolder } from '../look.ts';
import { printList } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { estimateLines, holderInWords, shortId, takeName } from '../output/words.ts';
import type { Session } from '../session.ts';
import { JSON_LINES, secondsFrom, verb, word } from '../verb.ts';

const TAKE = word('<TAKE>', 'cli.argTake');
const ACT = [TAKE, word('--button <name>', 'cli.optButton'), JSON_LINES] as const;
const CONTINUE = [
  TAKE,
  word('--at <seconds>', 'cli.optAt', { parse: secondsFrom, required: true }),
  word('--prompt <text>', 'cli.optContinuePrompt'),
  JSON_LINES,
] as const;

export const verbs = [
  /** Presses a button of a finished take; without its name or id, lists them. */
  verb('takes act', 'cli.helpTakesAct', ACT, (session, { take: named, button: wanted }) =>
    withTake(session, named, (engine, { recipe, take }) => {
      const buttons = recipe.extras?.buttons ?? [];
      if (wanted === undefined) {
        return printList(session, {
          type: 'button',
          rows: buttons,
          cells: (button) => [plainText(buttonName(button))],
          below: [say(buttons.length === 0 ? 'cli.noButtons' : 'cli.pressButton')],
        });
      }
      const button = buttonCalled(wanted, buttons);
      const newTake = pressed(take, button);
      if (!newTake) throw new UsageError(say('cli.noFileToUse'), say('cli.nameOtherTake'));
      return queue(session, engine, newTake, plainText(buttonName(button)));
    }),
  ),
  verb('takes continue', 'cli.helpTakesContinue', CONTINUE, (session, { take: named, at, prompt }) =>
    withTake(session, named, (engine, { take }) => {
      const columns = continuationOf(take.kind);
      const [file] = take.outputs;
      if (!columns || !file) {
        const problem = columns ? say('cli.noFileToContinue') : say('cli.cannotContinue', { kind: take.kind });
        throw new UsageError(problem, say('cli.nameMusicTake'));
      }
      const newTake: NewTake = {
        takeId: take.id,
        changes: { cells: { [columns.at]: String(at) }, ...(prompt !== undefined && { prompt }) },
        derivation: { how: 'extend', source: { parameter: columns.name, output: file.number } },
      };
      return queue(session, engine, newTake, say('cli.fromSecond', { seconds: at }));
    }),
  ),
];

function withTake(
  session: Session,
  named: string,
  work: (engine: CommandEngine, details: TakeDetails) => void | Promise<void>,
): Promise<void> {
  const { id } = takeNamed(session, named);
  return withQuietEngine(session, async (engine) => work(engine, await engine.api.takes.details({ takeId: id })));
}

/** `what`: how the new take relates to the one before. */
async function queue(session: Session, engine: CommandEngine, newTake: NewTake, what: string): Promise<void> {
  const { print, line } = session;
  const estimate = await engine.api.takes.estimate(newTake);
  const made = (await engine.api.takes.another(newTake))?.result;
  if (!made) return;
  if (session.json) return session.printJson({ type: 'job', ...made });
  for (const each of estimateLines(estimate)) print(each);
  const id = shortId(made.id);
  print(say('cli.queued', { what, take: takeName(made), id }));
  print(whenSent(session, engine, made));
  print(say('cli.takeBackWith', { command: line('jobs', 'cancel', id) }));
}

function whenSent({ line, shell, dataFolder }: Session, { sharedBy }: CommandEngine, take: TakeView): string {
  if (!sharedBy) return say('cli.sendWith', { command: line('resume') });
  const other = holderInWords(sharedBy);
  const now = shell.clock.now();
  const windows = viewDataFolder(dataFolder, (view) => view.windows.list().map((stored) => windowAt(stored, now)));
  const window = windowFor(take, windows);
  if (window?.isOpen !== false || window.changesAt === null)
    return say('cli.sentBy', { other, command: line('status') });
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
