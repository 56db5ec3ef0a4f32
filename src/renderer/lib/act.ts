import { callOf, type CommandInput, type CommandName } from '../../contract/commands/index.ts';
import { sayText } from '../../contract/messages/words.ts';
import { api } from './client.ts';
import { rememberUndo, toastWithUndo } from './undo.svelte.ts';

/**
 * Runs a command and offers to undo it; `quietly`, without a word, for a change that is seen at once and made many
 * times. Throws the engine's refusal.
 */
export async function act<Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
  { quietly = false }: { readonly quietly?: boolean } = {},
): Promise<void> {
  const done = await callOf(api, name)(input);
  if (!done) return;
  (quietly ? rememberUndo : toastWithUndo)(sayText(done.text), async () => {
    await api.commands.undo({ token: done.undo });
  });
}
