import type { Command } from './state/commands.svelte.ts';
import { projects } from './state/projects.svelte.ts';

/** A command that changes something of the current project, which an archived one does not take. */
export const unlessArchived = <Each extends Pick<Command, 'enabled'>>(
  command: Each,
): Each & Pick<Command, 'enabled'> => ({
  ...command,
  enabled: () => !projects.isReadOnly && (command.enabled?.() ?? true),
});
