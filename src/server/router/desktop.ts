import { messageFor } from '../../contract/messages/message.ts';
import { pathInside } from '../media/served-file.ts';
import { pathOf, placeIn } from '../../engine/files/place.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import type { Services } from '../services.ts';
import { found, type Implementer } from './implementer.ts';

export function desktopRouter(os: Implementer, services: Services) {
  const { engine, host, desktop, stopping } = services;

  /** Where the files of takes lie. Refused when they have none, or one is not in its project any more. */
  const realPathsOf = async (takeIds: readonly string[]): Promise<[string, ...string[]]> => {
    const paths: string[] = [];
    for (const id of takeIds) for (const file of engine.review.files(id)) paths.push(await realPathOf(file));
    const [first, ...others] = paths;
    if (first !== undefined) return [first, ...others];
    throw new RefusedError('no_files', messageFor('failure.noFileYet'), messageFor('remedy.waitUntilSaved'));
  };

  return {
    abilities: os.desktop.abilities.handler(() => desktop.abilities()),
    pickFolder: os.desktop.pickFolder.handler(({ input }) => desktop.pickFolder(input)),
    reveal: os.desktop.reveal.handler(async ({ input: { takeId, output } }) => {
      const file = engine.review.files(takeId).find((each) => each.output.number === output);
      await desktop.reveal(await realPathOf(found(file ?? null, 'file')));
    }),
    revealFolder: os.desktop.revealFolder.handler(async ({ input: { projectId, batchId } }) => {
      const { path, name, available } = await engine.views.project(projectId);
      const batch = batchId === undefined ? null : found(batchOf(projectId, batchId), 'batch');
      // The folder of a batch is made with its first file, and one from another machine may name any other.
      const folder = (batch && (await pathInside(path, batch.folder))) ?? (available ? path : null);
      if (folder !== null) return desktop.reveal(folder);
      throw new RefusedError(
        'no_folder',
        messageFor('failure.projectFolderAway', { project: name, folder: path }),
        messageFor('remedy.connectOrRelink'),
      );
    }),
    paths: os.desktop.paths.handler(({ input }) => ({
      paths: input.ids
        .flatMap((id) => engine.review.files(id))
        .map(({ project, output }) => pathOf(placeIn(project, output.file))),
    })),
    prepareDrag: os.desktop.prepareDrag.handler(async ({ input }) => ({
      drag: await desktop.prepareDrag(await realPathsOf(input.ids)),
    })),
    menu: os.desktop.menu.handler(({ input }) => desktop.menu(input.commands)),
    update: os.desktop.update.handler(({ input }) => desktop.update(input.choice)),
    diagnostics: os.desktop.diagnostics.handler(async ({ input }) => ({
      fileName: `dailies-diagnostics-${new Date(host.clock.now()).toISOString().slice(0, 10)}.txt`,
      text: await host.diagnostics(input?.extent ?? 'whole'),
    })),
    events: os.desktop.events.handler(({ signal }) =>
      desktop.events(signal ? AbortSignal.any([signal, stopping]) : stopping),
    ),
  };

  function batchOf(projectId: string, batchId: string) {
    return engine.views.batches(projectId).find(({ id }) => id === batchId) ?? null;
  }
}

async function realPathOf({ project, output }: TakeFile): Promise<string> {
  const path = await pathInside(project, output.file);
  if (path !== null) return path;
  throw new RefusedError(
    'file_gone',
    messageFor('failure.fileNotInProject', { file: output.file }),
    messageFor('remedy.checkDiskAndFile'),
  );
}
