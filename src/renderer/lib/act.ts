import { callFor, type CommandInput, type ToldName, type DoneBy } from '../../contract/commands/index.ts';
import type { Done } from '../../contract/commands/command.ts';
import { sayText } from '../../contract/messages/words.ts';
import { api } from './client.ts';
import { toast, toastError } from './toasts.ts';
import { toastWithUndo, undoHistory, type Reverse } from './undo.svelte.ts';

interface Saying<Each> {
  /** Without a word, for a change that is seen at once and made many times. */
  readonly quietly?: boolean;
  readonly words?: (all: readonly Each[]) => string | Promise<string>;
  readonly progress?: (calls: number) => void;
}

/** Runs a command and offers Undo. Resolves with null where nothing was to change. Throws the engine's refusal. */
export async function act<Name extends ToldName>(
  name: Name,
  input: CommandInput<Name>,
  saying: Saying<DoneBy<Name>> = {},
): Promise<DoneBy<Name> | null> {
  const [done = null] = await actEach(name, [input], saying);
  return done;
}

/** Runs a command several times, as one change to undo. Ends at the first call that is refused. */
export async function actEach<Name extends ToldName>(
  name: Name,
  inputs: Iterable<CommandInput<Name>>,
  { quietly = false, words, progress }: Saying<DoneBy<Name>> = {},
): Promise<readonly DoneBy<Name>[]> {
  const at = undoHistory.now();
  const all: DoneBy<Name>[] = [];
  try {
    let calls = 0;
    for (const input of inputs) {
      const done = await callFor(api, name)(input);
      if (done) all.push(done);
      progress?.((calls += 1));
    }
  } finally {
    await tell(all, { quietly, words, at });
  }
  return all;
}

async function tell<Each extends Done>(
  all: readonly Each[],
  { quietly, words, at }: { quietly: boolean; words: Saying<Each>['words']; at: number },
): Promise<void> {
  const [done] = all.filter(({ text }) => text !== '');
  if (done) {
    const said = words ? await words(all) : sayText(done.text);
    const tokens = all.flatMap(({ undo }) => undo ?? []);
    if (tokens.length === 0) {
      if (words) toast(said);
    } else if (quietly) undoHistory.add(said, reversal(tokens), at);
    else toastWithUndo(said, reversal(tokens), at);
  }
  toastLeft(all);
}

/** What takes back a command by its token is a command itself, whose token does it again. */
function reversal(tokens: readonly string[]): Reverse {
  return async () => {
    const again: string[] = [];
    for (const token of tokens.toReversed()) {
      const undone = await api.commands.undo({ token });
      toastLeft([undone]);
      if (undone.undo !== null) again.push(undone.undo);
    }
    return again.length === 0 ? null : reversal(again);
  };
}

/** For what it was not done, and why. */
function toastLeft(all: readonly Done[]): void {
  for (const text of all.flatMap(({ left }) => left ?? [])) toastError(new Error(sayText(text)));
}
