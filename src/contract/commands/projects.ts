import * as z from 'zod';
import { OpenedProjectView } from '../project.ts';
import { command, Id } from './command.ts';

const opening = {
  output: OpenedProjectView,
  bare: true,
  touches: 'nothing',
  refusesItself: 'its folder says which project it is',
} as const;
const path = z.string().min(1).max(4096);
const accountName = z.string().min(1).max(80);

export const projectCommands = {
  /**
   * Opens a folder, making a project of it when it is none. `account`: its name, for a project that is not known yet;
   * refused with `account_needed` where there are several and none is named.
   */
  open: command({
    ...opening,
    input: z.object({ path, account: accountName.optional() }),
    log: ['project.opened', 'project.relinked'],
    label: 'command.openProject',
  }),
  /** A known project whose folder was moved. Refused when the folder is another project. */
  relink: command({
    ...opening,
    input: z.object({ projectId: Id, path }),
    log: 'project.relinked',
    label: 'command.relinkProject',
  }),
  /** Takes a project off the list of recents; its folder is left alone. Refused while takes are unfinished. */
  forget: command({
    input: z.object({ projectId: Id }),
    touches: 'project',
    log: 'project.forgotten',
    shows: 'project',
    label: 'command.forgetProject',
    ownEntry: true,
  }),
  /** Gives a project and its folder another name. Refused while its requests do not end, or the name is taken. */
  rename: command({
    input: z.object({ projectId: Id, name: z.string().min(1).max(200) }),
    touches: 'project',
    commits: 'own',
    log: 'project.renamed',
    shows: 'project',
    label: 'command.renameProject',
    cli: 'projects rename <NAME>',
  }),
  /**
   * Sends what is not sent yet with the account of that name, or `id:` and its id, which an undo says: names change. What
   * was sent is followed with the one that sent it.
   */
  account: command({
    input: z.object({ projectId: Id, account: accountName }),
    touches: 'project',
    lock: 'project',
    log: 'project.accountChanged',
    shows: 'project',
    label: 'command.chooseAccount',
    cli: 'projects account <NAME>',
    spends: 'queued',
  }),
  /** Puts a project away: read only, off the list. Refused while takes are unfinished or undecided. */
  archive: command({
    input: z.object({ projectId: Id }),
    touches: 'project',
    lock: 'project',
    log: 'project.archived',
    shows: 'project',
    label: 'command.archiveProject',
    ownEntry: true,
    cli: 'projects archive',
  }),
  unarchive: command({
    input: z.object({ projectId: Id }),
    touches: 'archived project',
    log: 'project.unarchived',
    shows: 'project',
    label: 'command.unarchiveProject',
    cli: 'projects unarchive',
  }),
};
