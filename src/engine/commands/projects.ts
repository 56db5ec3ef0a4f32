import { accountOn, accountWithId, isAccount, serviceOfAccount } from '../../contract/accounts.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { refused } from '../base/errors.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import { wholePath } from '../files/existing-paths.ts';
import type { Project, ProjectStore } from '../db/project-store.ts';
import { checkMayArchive, checkMayForget, projectFor } from '../projects/overview.ts';
import { accountCalled } from '../projects/accounts.ts';
import { planRename, renameProject } from '../projects/rename-project.ts';
import { step, type CommandFunctions } from './command-function.ts';

/** How long a rename waits for requests and downloads in progress, ms. A person waits for the rename. */
const TIMEOUT_MS = 30_000;

const BY_ID = 'id:';

/** One rename at a time, because two could need each other's paths. */
const renames = new KeyedMutex();

export const projects: CommandFunctions<'projects'> = {
  open: async ({ folders, views }, { path, account }, { by }) =>
    views.opened(await folders.open(wholePath(path), by, { account })),
  relink: async ({ folders, views }, { projectId, path }, { by }) =>
    views.opened(await folders.relink(projectId, wholePath(path), by)),

  forget({ projects: store, tally }, { projectId }) {
    const { name } = projectFor(store, projectId);
    checkMayForget(tally.counts({ projectId }).unfinished);
    store.hide(projectId);
    return { facts: { project: name }, undo: null };
  },

  rename(
    { claims, dataFolder, folderWritten, history, ports, projects: store, scheduler },
    { projectId, name: wanted },
    own,
  ) {
    return renames.run('rename', async () => {
      ownProject(store, projectId);
      try {
        const running = await scheduler.holdProject(projectId, TIMEOUT_MS);
        if (running > 0) {
          throw refused('project_working', messageFor('failure.projectWorking', { count: running }));
        }
        return await claims.withLock(projectId, async () => {
          await folderWritten();
          return claims.whileOurs(projectId, async (project) => {
            const undo = step('projects.rename', { projectId, name: project.name });
            own.requireUnchanged(undo);
            const rename = await planRename({ project, name: wanted, by: own.by, now: ports.clock.now(), dataFolder });
            if (!rename) return null;
            // Its line is in the commit that ends it, which may be one of the next start.
            await renameProject({ projects: store, history }, rename);
            const { fromName: before, toName: name, toPath: folder } = rename;
            return { facts: { before, name, folder }, done: { projectId, name }, undo };
          });
        });
      } finally {
        if (!store.isArchived(projectId)) scheduler.releaseProject(projectId);
      }
    });
  },

  account({ jobs, projects: store, scheduler, settings, tally }, { projectId, account: name }) {
    const { name: project } = ownProject(store, projectId);
    if (jobs.studio.placeOf(projectId) !== null && tally.counts({ projectId }).unfinished > 0) {
      throw refused('studio_project', messageFor('failure.studioKeepsAccount', { project }));
    }
    const withId = name.startsWith(BY_ID) ? accountWithId(settings, name.slice(BY_ID.length) || null) : undefined;
    const account = withId ?? accountCalled(settings, name);
    const before = store.service(projectId);
    if (before === serviceOfAccount(account.id)) return null;
    store.setService(projectId, serviceOfAccount(account.id));
    const known = accountOn(settings, before);
    return {
      facts: { project, before: known?.name ?? 'none', account: account.name },
      done: { projectId, account: `${BY_ID}${account.id ?? ''}` },
      undo: known ? step('projects.account', { projectId, account: `${BY_ID}${known.id ?? ''}` }) : null,
      after: () => scheduler.capsChanged(),
    };
  },

  archive({ ports, projects: store, scheduler, tally }, { projectId }) {
    const { name } = ownProject(store, projectId);
    checkMayArchive('project', tally.counts({ projectId }));
    store.archive(projectId, ports.clock.now());
    return {
      facts: { project: name },
      undo: step('projects.unarchive', { projectId }),
      after: async () => void (await scheduler.holdProject(projectId, 0)),
    };
  },

  unarchive({ projects: store, scheduler }, { projectId }) {
    const { name } = projectFor(store, projectId);
    if (!store.isArchived(projectId)) return null;
    store.archive(projectId, null);
    return {
      facts: { project: name },
      undo: step('projects.archive', { projectId }),
      after: () => scheduler.releaseProject(projectId),
    };
  },
};

/** A project of the person: the sample keeps its name and its place. Throws RefusedError. */
function ownProject(store: ProjectStore, projectId: string): Project {
  const project = projectFor(store, projectId);
  if (isAccount(store.service(projectId))) return project;
  throw refused('sample_project', 'failure.sampleProject');
}
