import { callOf, type CommandInput, type CommandName, type DoneBy } from '../../contract/commands/index.ts';
import { sayText } from '../../contract/messages/words.ts';
import { api } from './client.ts';
import { toastWithUndo, undoHistory, type Reverse } from './undo.svelte.ts';

/**
 * Runs a command and offers to undo it; `quietly`, without a word, for a change that is seen at once and made many
 * times. Resolves with null where there was nothing to change. Throws the engine's refusal.
 */
export async function act<Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
  { quietly = false }: { readonly quietly?: boolean } = {},
): Promise<DoneBy<Name> | null> {
  const at = undoHistory.now();
  const done = await callOf(api, name)(input);
  if (!done?.undo) return done;
  const words = sayText(done.text);
  if (quietly) undoHistory.add(words, reversal(done.undo), at);
  else toastWithUndo(words, reversal(done.undo), at);
  return done;
}

/** What takes back a command by its token is a command itself, whose token does it again. */
export function reversal(token: string): Reverse {
  return async () => {
    const { undo } = await api.commands.undo({ token });
    return undo === null ? null : reversal(undo);
  };
}
