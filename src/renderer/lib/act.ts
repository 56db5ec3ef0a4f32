import { callOf, type CommandInput, type CommandName, type DoneBy } from '../../contract/commands/index.ts';
import { sayText } from '../../contract/messages/words.ts';
import { api } from './client.ts';
import { rememberUndo, toastWithUndo } from './undo.svelte.ts';

/**
 * Runs a command and offers to undo it; `quietly`, without a word, for a change that is seen at once and made many
 * times. Resolves with null where there was nothing to change. Throws the engine's refusal.
 */
export async function act<Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
  { quietly = false }: { readonly quietly?: boolean } = {},
): Promise<DoneBy<Name> | null> {
  const done = await callOf(api, name)(input);
  const token = done?.undo;
  if (done && token) {
    (quietly ? rememberUndo : toastWithUndo)(sayText(done.text), () => api.commands.undo({ token }));
  }
  return done;
}
