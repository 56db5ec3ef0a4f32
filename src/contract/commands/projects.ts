import * as z from 'zod';
import { command, Id } from './command.ts';

export const projectCommands = {
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
    help: 'cli.helpProjectsRename',
    answer: 'cli.projectRenamed',
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
    help: 'cli.helpProjectsArchive',
    answer: 'cli.projectArchived',
  }),
  unarchive: command({
    input: z.object({ projectId: Id }),
    touches: 'archived project',
    log: 'project.unarchived',
    shows: 'project',
    label: 'command.unarchiveProject',
    cli: 'projects unarchive',
    help: 'cli.helpProjectsUnarchive',
    answer: 'cli.projectUnarchived',
  }),
};
