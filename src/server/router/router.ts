import type { Services } from '../services.ts';
import { errorForCaller, found, type Implementer } from './errors.ts';
import { implement } from '@orpc/server';
import { contract } from '../../contract/procedures.ts';
import type { Logger } from '../../engine/base/ports.ts';
import { settingsRouter } from './settings.ts';
import { writeReportOf } from '../reports/write-report.ts';
import { ChangeFeed } from '../change-feed.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { DailiesError, RefusedError, textOf } from '../../engine/base/errors.ts';
import { wholePath } from '../../engine/files/existing-paths.ts';
import { forwardExport, forwardVerify } from './forward.ts';
import { projectOf } from '../../engine/projects/overview.ts';
import { clippingsOf } from '../../engine/tools/research/clippings.ts';
import type { SpentGroup } from '../../contract/ledger.ts';
import { ledgerCsv } from '../../engine/queries/ledger-csv.ts';
import { readStatistics, statisticsCsv, type StatisticsWanted } from '../../engine/queries/statistics.ts';
import { nameOrder } from '../../contract/messages/words.ts';
import { csvTemplate } from '../../contract/kinds/index.ts';
import { assureMayNameFiles, createFolder, listFolder } from '../folders.ts';
import { openSample } from '../sample-project.ts';
import { commandNamed, type commands, namesOf } from '../../contract/commands/index.ts';
import { pathInside } from '../media/served-file.ts';
import { pathOf, placeIn } from '../../engine/files/place.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import { EventBuffer } from '../runs/event-buffer.ts';
import { followRun } from '../runs/follow-run.ts';
import { startRun } from '../runs/start-run.ts';

const implementer = (logger: Logger): Implementer =>
  implement(contract).use(async ({ next, path, signal }) => {
    try {
      return await next();
    } catch (error) {
      // The caller has ended the call, and hears its own reason.
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw errorForCaller(error, path, logger);
    }
  });

export function createRouter(services: Services) {
  const os = implementer(services.host.logger);
  const { stores, windows } = services.engine;
  return os.router({
    commands: {
      undo: os.commands.undo.handler(({ input }) => services.engine.commands.undo(input.token, services.caller)),
    },
    agents: commandHandlers(os.agents, 'agents', services),
    projects: projectsRouter(os, services),
    folders: foldersRouter(os, services),
    ...draftsRouter(os, services),
    runs: runsRouter(os, services),
    jobs: jobsRouter(os, services),
    queue: queueRouter(os, services),
    takes: takesRouter(os, services),
    savedViews: {
      list: os.savedViews.list.handler(({ input }) => stores.savedViews.list(input.projectId)),
      ...commandHandlers(os.savedViews, 'savedViews', services),
    },
    spending: spendingRouter(os, services),
    windows: {
      list: os.windows.list.handler(() => windows.list()),
      ...commandHandlers(os.windows, 'windows', services),
    },
    promptLibrary: {
      variables: os.promptLibrary.variables.handler(({ input }) => stores.variables.list(input.projectId)),
      presets: os.promptLibrary.presets.handler(({ input }) => stores.presets.list(input.projectId)),
      ...commandHandlers(os.promptLibrary, 'promptLibrary', services),
    },
    nights: nightsRouter(os, services),
    places: {
      last: os.places.last.handler(() => services.engine.places.last()),
      keep: os.places.keep.handler(({ input }) => services.engine.places.keep(input)),
    },
    library: libraryRouter(os, services),
    ...toolsRouter(os, services),
    settings: settingsRouter(os, services),
    messages: messagesRouter(os, services),
    desktop: desktopRouter(os, services),
    events: eventsRouter(os, services),
  });
}

const jobsRouter = (os: Implementer, services: Services) => {
  const { views, stores } = services.engine;
  return {
    ...commandHandlers(os.jobs, 'jobs', services),
    list: os.jobs.list.handler(({ input: { start, count, ...wanted } }) => views.jobs(wanted, { start, count })),
    get: os.jobs.get.handler(({ input }) => found(stores.queries.view(input.jobId), 'job')),
    columnTexts: os.jobs.columnTexts.handler(({ input }) => stores.review.columnTexts(input.ids, input.column)),
  };
};

const nightsRouter = (os: Implementer, services: Services) => {
  const { nights } = services.engine;
  return {
    unseen: os.nights.unseen.handler(() => nights.unseen()),
    ...commandHandlers(os.nights, 'nights', services),
    reveal: os.nights.reveal.handler(async ({ input: { projectId, night } }) => {
      // The page is written into the project: refused for one in the archive.
      await services.engine.views.project(projectId);
      await services.desktop.reveal(found(await writeReportOf(services, projectId, night), 'file'));
    }),
  };
};

const queueRouter = (os: Implementer, services: Services) => ({
  ...commandHandlers(os.queue, 'queue', services),
  view: os.queue.view.handler(async () => ({
    ...(await services.engine.views.queue()),
    ...(await services.host.power()),
  })),
});

function eventsRouter(os: Implementer, { engine, host, stopping }: Services) {
  return {
    changes: os.events.changes.handler(({ input, signal }) => {
      const feed = new ChangeFeed(engine, host.clock, [signal, stopping]);
      if (input !== undefined) engine.drafts.connected(input.window, feed.ended);
      return feed;
    }),
  };
}

function messagesRouter(os: Implementer, { messages }: Services) {
  return {
    secrets: os.messages.secrets.handler(() => messages.secrets()),
    storeSecret: os.messages.storeSecret.handler(({ input }) => messages.storeSecret(input.channel, input.secret)),
    test: os.messages.test.handler(async ({ input }) => {
      try {
        await messages.test(input.channel);
        return { ok: true, message: messageFor('message.testSent'), remedy: '' };
      } catch (error) {
        const remedy = error instanceof DailiesError ? error.remedy : '';
        return { ok: false, message: textOf(error), remedy };
      }
    }),
  };
}

function takesRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  const { review, trash } = engine;
  return {
    ...commandHandlers(os.takes, 'takes', services),
    list: os.takes.list.handler(({ input: { start, count, ...filter } }) => review.list(filter, { start, count })),
    ids: os.takes.ids.handler(({ input }) => review.ids(input)),
    groups: os.takes.groups.handler(({ input }) => review.groups(input)),
    tally: os.takes.tally.handler(({ input }) => review.tally(input)),
    details: os.takes.details.handler(({ input }) => review.details(input.takeId)),
    models: os.takes.models.handler(({ input }) => engine.stores.review.models(input.projectId)),
    columns: os.takes.columns.handler(({ input }) => engine.stores.review.columns(input.projectId)),
    tags: os.takes.tags.handler(({ input }) => engine.stores.review.tags(input.projectId)),
    estimate: os.takes.estimate.handler(({ input }) => review.estimate(input)),
    spent: os.takes.spent.handler(({ input }) => review.spent(input)),
    atStake: os.takes.atStake.handler(({ input }) => review.atStake(input.ids)),
    trashPlan: os.takes.trashPlan.handler(({ input }) => trash.plan(input.ids)),
    trashSize: os.takes.trashSize.handler(({ input }) => trash.size(input.projectId)),
    export: os.takes.export.handler(({ input, signal }) =>
      forwardExport(review.export(input.ids, wholePath(input.folder)), AbortSignal.any([signal ?? stopping, stopping])),
    ),
  };
}

function toolsRouter(os: Implementer, services: Services) {
  const { engine } = services;
  const { meaning, prompts, runner } = engine.tools;
  const tools = {
    ...commandHandlers(os.tools, 'tools', services),
    price: os.tools.price.handler(({ input }) => engine.tools.price(input)),
    open: os.tools.open.handler(({ input }) => prompts.open(input.projectId)),
    reopen: os.tools.reopen.handler(({ input }) => prompts.reopen(input.callId)),
    unclear: os.tools.unclear.handler(() => runner.unclear()),
    meaningStatus: os.tools.meaningStatus.handler(({ input }) => meaning.status(input)),
  };
  return {
    tools,
    clippings: {
      list: os.clippings.list.handler(({ input }) =>
        clippingsOf(projectOf(engine.stores.projects, input.projectId).path, input.limit),
      ),
      ...commandHandlers(os.clippings, 'clippings', services),
    },
  };
}

function spendingRouter(os: Implementer, services: Services) {
  const { spending, stores } = services.engine;
  const currency = (): string => services.settings.get().currency;
  const statistics = (wanted: StatisticsWanted) => readStatistics(stores.ledger, wanted, currency());
  return {
    totals: os.spending.totals.handler(({ input }) => stores.ledger.totals(input)),
    by: os.spending.by.handler(({ input: { by, most, ...scope } }) =>
      costliest(stores.ledger.totalsBy(scope, by), most),
    ),
    csv: os.spending.csv.handler(async function* ({ input }) {
      yield* ledgerCsv(stores.ledger.lines(input), currency());
    }),
    statistics: os.spending.statistics.handler(({ input }) => statistics(input)),
    statisticsCsv: os.spending.statisticsCsv.handler(async ({ input }) => statisticsCsv(await statistics(input))),
    night: os.spending.night.handler(() => ({ from: spending.night() })),
    caps: os.spending.caps.handler(() => spending.caps()),
    ...commandHandlers(os.spending, 'spending', services),
  };
}

/** All of them in their order where they are few; else those that cost most. */
function costliest(groups: readonly SpentGroup[], most: number): SpentGroup[] {
  if (groups.length <= most) return [...groups];
  const cost = ({ totals: { settled, unclear, reserved } }: SpentGroup): number =>
    [settled, unclear, reserved].reduce((sum, { price }) => sum + (price ?? 0), 0);
  return groups.toSorted((a, b) => cost(b) - cost(a)).slice(0, most);
}

function libraryRouter(os: Implementer, services: Services) {
  const of = services.engine.views.library;
  return {
    ...commandHandlers(os.library, 'library', services),
    groups: os.library.groups.handler(({ input }) => {
      const order = nameOrder();
      return of(input.projectId)
        .groups()
        .sort((a, b) => order.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
    }),
    assets: os.library.assets.handler(({ input: { projectId, start, count, ...filter } }) => {
      const assets = of(projectId).assets(filter);
      return { total: assets.length, assets: assets.slice(start, start + count) };
    }),
    asset: os.library.asset.handler(({ input }) => found(of(input.projectId).asset(input.assetId), 'asset')),
    untilReady: os.library.untilReady.handler(async ({ input: { projectId, assetIds }, signal }) =>
      Object.fromEntries(await of(projectId).untilReady(assetIds, { signal })),
    ),
    syncedAt: os.library.syncedAt.handler(({ input }) => of(input.projectId).syncedAt()),
    whereUsed: os.library.whereUsed.handler(({ input }) => of().whereUsed(input.assetId)),
    usedBy: os.library.usedBy.handler(({ input }) => of().usedBy(input.takeId)),
  };
}

function draftsRouter(os: Implementer, services: Services) {
  const { drafts, views } = services.engine;
  return {
    drafts: {
      ...commandHandlers(os.drafts, 'drafts', services),
      list: os.drafts.list.handler(({ input }) => drafts.list(input.projectId)),
      get: os.drafts.get.handler(({ input }) => drafts.get(input.draftId)),
      rows: os.drafts.rows.handler(({ input }) => drafts.rows(input.draftId, input.start, input.count)),
      claim: os.drafts.claim.handler(({ input }) => drafts.claim(input.draftId, input.by, input.takeOver)),
      release: os.drafts.release.handler(({ input }) => drafts.release(input.draftId, input.by)),
      defects: os.drafts.defects.handler(({ input }) => drafts.defects(input.draftId, input.again)),
      tryRows: os.drafts.tryRows.handler(async ({ input }) => [
        ...(await drafts.checks.ofRows(input.draftId, input.rows)),
      ]),
      shots: os.drafts.shots.handler(({ input }) => drafts.shots(input.draftId, input.names)),
      plan: os.drafts.plan.handler(({ input }) =>
        drafts.plan(input.draftId, input.name, input.again, input.keepOthers),
      ),
      save: os.drafts.save.handler(({ input }) => drafts.save(input.draftId)),
      estimate: os.drafts.estimate.handler(({ input }) => drafts.estimate(input.projectId, input.cells)),
      template: os.drafts.template.handler(({ input: { kind } }) => ({
        fileName: `${kind}-shots.csv`,
        text: csvTemplate(kind),
      })),
    },
    batches: {
      list: os.batches.list.handler(({ input }) => views.batches(input.projectId)),
      ...commandHandlers(os.batches, 'batches', services),
    },
  };
}

function projectsRouter(os: Implementer, services: Services) {
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

function foldersRouter(os: Implementer, { host }: Services) {
  return {
    list: os.folders.list.handler(({ input }) => listFolder(host, input.path ?? host.homeFolder)),
    create: os.folders.create.handler(({ input }) => createFolder(host, input.parent, input.name)),
  };
}

type Table = typeof commands;

interface Procedure {
  handler(run: (given: { readonly input: never; readonly signal?: AbortSignal }) => unknown): unknown;
}

type Handled<Implementer> = Implementer extends { handler(...given: never): infer Handler } ? Handler : never;

function commandHandlers<Noun extends keyof Table, Section extends Readonly<Record<keyof Table[Noun], object>>>(
  section: Section,
  noun: Noun,
  services: Services,
): { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> } {
  const handlers = namesOf(noun).map((name) => {
    const verb = name.slice(noun.length + 1) as keyof Table[Noun];
    const procedure = section[verb] as unknown as Procedure;
    const { files } = commandNamed(name);
    const handler = procedure.handler(({ input, signal }) => {
      if (files && namesFile(input, files)) assureMayNameFiles(services);
      return services.engine.commands.run(name, input, services.caller, signal);
    });
    return [verb, handler];
  });
  return Object.fromEntries(handlers) as { readonly [Verb in keyof Table[Noun]]: Handled<Section[Verb]> };
}

/** Whether an input has the field in which it would name a file: `picture.path`. */
const namesFile = (input: unknown, field: true | string): boolean =>
  field === true ||
  field.split('.').reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], input) !==
    undefined;

function desktopRouter(os: Implementer, services: Services) {
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

function runsRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  return {
    start: os.runs.start.handler(async ({ input, signal }) => {
      assureMayNameFiles(services);
      // Listens before the first take exists, so that no change is missed.
      const heard = new EventBuffer(engine, [signal, stopping]);
      try {
        const started = await startRun(services, input, signal);
        const scope = { projectId: started.project.id, batchId: started.batch.id };
        return followRun(services, { scope, started, heard });
      } catch (error) {
        heard.end();
        throw error;
      }
    }),
    follow: os.runs.follow.handler(({ input, signal }) =>
      followRun(services, { scope: input, heard: new EventBuffer(engine, [signal, stopping]) }),
    ),
  };
}
