import { wholePath } from '../../engine/files/existing-paths.ts';
import { createFolder, listFolder } from '../folders.ts';
import { openSample } from '../sample-project.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import { forwardExport, forwardVerify } from './forward.ts';
import type { Implementer } from './implementer.ts';

export function projectsRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  return {
    list: os.projects.list.handler(() => engine.views.projects()),
    archived: os.projects.archived.handler(() => engine.views.archived()),
    ...commandHandlers(os.projects, 'projects', services),
    facts: os.projects.facts.handler(({ input }) => engine.views.facts(input.projectId)),
    history: os.projects.history.handler(({ input }) => engine.views.history(input)),
    export: os.projects.export.handler(({ input, signal }) => {
      const copying = engine.projects.export(input.projectId, wholePath(input.folder), { asZip: input.zip });
      return forwardExport(copying, AbortSignal.any([signal ?? stopping, stopping]));
    }),
    verify: os.projects.verify.handler(({ input, signal }) => {
      const left = AbortSignal.any([signal ?? stopping, stopping]);
      const verifying = engine.views.verify(input.projectId, left);
      return forwardVerify(verifying, left, (takeIds) => engine.jobs.lookAtFiles(takeIds));
    }),
    sample: os.projects.sample.handler(async () => engine.views.opened(await openSample(services))),
  };
}

export function foldersRouter(os: Implementer, { host }: Services) {
  return {
    list: os.folders.list.handler(({ input }) => listFolder(host, input.path ?? host.homeFolder)),
    create: os.folders.create.handler(({ input }) => createFolder(host, input.parent, input.name)),
  };
}
