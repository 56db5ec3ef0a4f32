import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Services, openSample } from '../services.ts';
import { errorForCaller, found, type Implementer, forwardExport, forwardVerify } from './errors.ts';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { contract } from '../../contract/procedures.ts';
import type { Logger } from '../../engine/base/ports.ts';
import { settingsRouter } from './settings.ts';
import { kitPages } from '../reports/kit-pages.ts';
import { reelPageFor } from '../reports/reel-page.ts';
import { writeReportOf } from '../reports/write-report.ts';
import { ChangeFeed, EventBuffer } from '../change-feed.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { DailiesError, refused, toText } from '../../engine/base/errors.ts';
import { wholePath } from '../../engine/files/existing-paths.ts';
import { exportKit } from '../../engine/kit/export-kit.ts';
import { exportReel } from '../../engine/kit/export-reel.ts';
import { planReview } from '../../engine/review/merge-review.ts';
import { projectFor } from '../../engine/projects/overview.ts';
import { Thumbs } from '../media/thumbs.ts';
import { clippingsFor } from '../../engine/tools/research/pictures.ts';
import type { SpentGroup, StatisticsPeriod } from '../../contract/ledger.ts';
import type { LedgerScope } from '../../engine/db/ledger-store.ts';
import { nextWaits, readStages } from '../../engine/queries/stages.ts';
import { ledgerCsv, readStatistics, statisticsCsv } from '../../engine/queries/statistics.ts';
import { nameOrder, t } from '../../contract/messages/words.ts';
import { csvTemplate } from '../../contract/kinds/index.ts';
import { assureMayNameFiles, createFolder, listFolder } from '../folders.ts';
import { commandNamed, type commands, namesFor } from '../../contract/commands/index.ts';
import { pathInside } from '../media/served-file.ts';
import { toPath, placeIn } from '../../engine/files/place.ts';
import { cutCalled, listCuts, picksAsCut, takesAsCut, timelineOf } from '../../engine/review/cuts.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import type { Engine } from '../../engine/engine.ts';
import { followRun, startRun } from '../runs.ts';
import { listWithStatus } from '../reports/status-sheet.ts';

/** The end of a channel that Node, a browser or Electron's main process has. */
export type Port = Parameters<RPCHandler<Record<never, never>>['upgrade']>[0];

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

/** Answers the procedures over a port, for a window that shares a machine and a program with the engine. */
export function servePort(services: Services, port: Port): void {
  new RPCHandler(createRouter(services)).upgrade(port);
}

export function createRouter(services: Services) {
  const { engine, host, messages, desktop, settings, stopping, studio } = services;
  const { drafts, jobs, nights, places, projects, review, spending, stores, tools, trash, views } = engine;
  const os = implementer(host.logger);
  const thumbs = new Thumbs(join(host.dataFolder, 'thumbs'), host);
  const run = <Noun extends keyof Table>(noun: Noun) => commandHandlers(os, noun, services);
  const untilStopped = (signal: AbortSignal | undefined): AbortSignal =>
    AbortSignal.any([signal ?? stopping, stopping]);
  const currency = (): string => settings.get().currency;
  const statistics = ({ period, ...scope }: LedgerScope & { readonly period: StatisticsPeriod }) =>
    readStatistics(stores.ledger, scope, period, currency());

  return os.router({
    commands: {
      undo: os.commands.undo.handler(({ input }) => engine.commands.undo(input.token, services.caller)),
    },
    agents: run('agents'),
    projects: {
      ...run('projects'),
      list: os.projects.list.handler(() => views.projects()),
      archived: os.projects.archived.handler(() => views.archived()),
      facts: os.projects.facts.handler(({ input }) => views.facts(input.projectId)),
      history: os.projects.history.handler(({ input }) => views.history(input)),
      export: os.projects.export.handler(({ input, signal }) =>
        forwardExport(
          projects.export(input.projectId, wholePath(input.folder), { asZip: input.zip }),
          untilStopped(signal),
        ),
      ),
      verify: os.projects.verify.handler(({ input, signal }) => {
        const left = untilStopped(signal);
        return forwardVerify(views.verify(input.projectId, left), left, (takeIds) => jobs.lookAtFiles(takeIds));
      }),
      sample: os.projects.sample.handler(async () => views.opened(await openSample(services))),
    },
    folders: {
      list: os.folders.list.handler(({ input }) => listFolder(host, input.path ?? host.homeFolder)),
      create: os.folders.create.handler(({ input }) => createFolder(host, input.parent, input.name)),
    },
    drafts: {
      ...run('drafts'),
      list: os.drafts.list.handler(({ input }) => drafts.list(input.projectId)),
      get: os.drafts.get.handler(({ input }) => drafts.get(input.draftId)),
      rows: os.drafts.rows.handler(({ input }) => drafts.rows(input.draftId, input.start, input.count)),
      defects: os.drafts.defects.handler(({ input }) => drafts.defects(input.draftId, input.again)),
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
      ...run('batches'),
      list: os.batches.list.handler(({ input }) => views.batches(input.projectId)),
      stages: os.batches.stages.handler(({ input }) => readStages(stores, input.batchId)),
      withStatus: os.batches.withStatus.handler(async ({ input: { batchId, name, content } }) => {
        const list = { name, bytes: Buffer.from(content, 'base64') };
        const { bytes, rows, found: shots } = await listWithStatus(stores, batchId, list);
        return { content: Buffer.from(bytes).toString('base64'), rows, found: shots };
      }),
    },
    runs: {
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
    },
    jobs: {
      ...run('jobs'),
      list: os.jobs.list.handler(({ input: { start, count, ...wanted } }) => views.jobs(wanted, { start, count })),
      wantedFrames: os.jobs.wantedFrames.handler(() => engine.frames.wanted()),
      nextWaits: os.jobs.nextWaits.handler(({ input }) => nextWaits(stores, input)),
      get: os.jobs.get.handler(({ input }) => found(stores.queries.view(input.jobId), 'job')),
    },
    queue: {
      ...run('queue'),
      view: os.queue.view.handler(async () => ({ ...(await views.queue()), ...(await host.power()) })),
    },
    takes: {
      ...run('takes'),
      list: os.takes.list.handler(({ input: { start, count, ...filter } }) => review.list(filter, { start, count })),
      ids: os.takes.ids.handler(({ input }) => review.ids(input)),
      groups: os.takes.groups.handler(({ input }) => review.groups(input)),
      tonight: os.takes.tonight.handler(({ input }) => review.tonight(input.projectId)),
      tally: os.takes.tally.handler(({ input }) => review.tally(input)),
      details: os.takes.details.handler(({ input }) => review.details(input.takeId)),
      models: os.takes.models.handler(({ input }) => stores.review.models(input.projectId)),
      columns: os.takes.columns.handler(({ input }) => stores.review.columns(input.projectId)),
      tags: os.takes.tags.handler(({ input }) => stores.review.tags(input.projectId)),
      estimate: os.takes.estimate.handler(({ input }) => review.estimate(input)),
      refreshPlan: os.takes.refreshPlan.handler(({ input }) => review.refreshPlan(input.ids)),
      planMore: os.takes.planMore.handler(({ input }) => review.planMore(input)),
      spent: os.takes.spent.handler(({ input }) => review.spent(input)),
      atStake: os.takes.atStake.handler(({ input }) => review.atStake(input.ids)),
      planReview: os.takes.planReview.handler(({ input }) => planReview(stores, input.projectId, input.review)),
      trashPlan: os.takes.trashPlan.handler(({ input }) => trash.plan(input.ids)),
      trashSize: os.takes.trashSize.handler(({ input }) => trash.size(input.projectId)),
      export: os.takes.export.handler(({ input, signal }) =>
        forwardExport(review.export(input.ids, wholePath(input.folder)), untilStopped(signal)),
      ),
    },
    savedViews: {
      ...run('savedViews'),
      list: os.savedViews.list.handler(({ input }) => stores.savedViews.list(input.projectId)),
    },
    cuts: {
      ...run('cuts'),
      list: os.cuts.list.handler(({ input }) => listCuts(stores, input.projectId)),
      get: os.cuts.get.handler(({ input }) => cutCalled(stores, input.projectId, input.name)),
      timeline: os.cuts.timeline.handler(({ input: { projectId, name } }) =>
        timelineOf(stores, projectId, cutCalled(stores, projectId, name).cut),
      ),
      layOut: os.cuts.layOut.handler(({ input }) => timelineOf(stores, input.projectId, input.cut)),
      export: os.cuts.export.handler(({ input, signal }) =>
        forwardExport(
          exportKit(stores, { ...input, folder: wholePath(input.folder) }, kitPages(stores, input.projectId, host)),
          untilStopped(signal),
        ),
      ),
      reel: os.cuts.reel.handler(({ input: { projectId, name, ids, folder }, signal }) => {
        const cut = ids ? takesAsCut(stores, name, ids) : cutCalled(stores, projectId, name).cut;
        const wanted = { projectId, cut, folder: wholePath(folder), named: t('reel.folderName', { name }) };
        return forwardExport(exportReel(stores, wanted, reelPageFor), untilStopped(signal));
      }),
      fromPicks: os.cuts.fromPicks.handler(({ input }) => picksAsCut(stores, input.projectId, input.name)),
    },
    spending: {
      ...run('spending'),
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
    },
    windows: {
      ...run('windows'),
      list: os.windows.list.handler(() => engine.windows.list()),
    },
    promptLibrary: {
      ...run('promptLibrary'),
      variables: os.promptLibrary.variables.handler(({ input }) => stores.variables.list(input.projectId)),
      presets: os.promptLibrary.presets.handler(({ input }) => stores.presets.list(input.projectId)),
    },
    nights: {
      ...run('nights'),
      unseen: os.nights.unseen.handler(() => nights.unseen()),
      reveal: os.nights.reveal.handler(async ({ input: { projectId, night } }) => {
        // The page is written into the project: refused for one in the archive.
        await views.project(projectId);
        const path = found(await writeReportOf({ engine, host }, projectId, night), 'file');
        await desktop.reveal({ path });
      }),
    },
    places: {
      last: os.places.last.handler(() => places.last()),
      keep: os.places.keep.handler(({ input }) => places.keep(input)),
    },
    library: {
      ...run('library'),
      groups: os.library.groups.handler(({ input }) => {
        const order = nameOrder();
        const groups = views.library(input.projectId).groups();
        return groups.sort((a, b) => order.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
      }),
      assets: os.library.assets.handler(({ input: { projectId, start, count, ...filter } }) => {
        const assets = views.library(projectId).assets(filter);
        return { total: assets.length, assets: assets.slice(start, start + count) };
      }),
      asset: os.library.asset.handler(({ input }) =>
        found(views.library(input.projectId).asset(input.assetId), 'asset'),
      ),
      untilReady: os.library.untilReady.handler(async ({ input: { projectId, assetIds }, signal }) =>
        Object.fromEntries(await views.library(projectId).untilReady(assetIds, signal)),
      ),
      syncedAt: os.library.syncedAt.handler(({ input }) => views.library(input.projectId).syncedAt()),
      whereUsed: os.library.whereUsed.handler(({ input }) => views.library().whereUsed(input.assetId)),
      usedBy: os.library.usedBy.handler(({ input }) => views.library().usedBy(input.takeId)),
    },
    tools: {
      ...run('tools'),
      price: os.tools.price.handler(({ input }) => tools.price(input)),
      open: os.tools.open.handler(({ input }) => tools.prompts.open(input.projectId)),
      reopen: os.tools.reopen.handler(({ input }) => tools.prompts.reopen(input.callId)),
      meaningStatus: os.tools.meaningStatus.handler(({ input }) => tools.meaning.status(input)),
    },
    clippings: {
      ...run('clippings'),
      list: os.clippings.list.handler(({ input }) =>
        clippingsFor(projectFor(stores.projects, input.projectId).path, input.limit),
      ),
      look: os.clippings.look.handler(async ({ input: { projectId, url }, signal }) => {
        const { id } = projectFor(stores.projects, projectId);
        const keep = (sha256: string, picture: Buffer): Promise<boolean> => thumbs.keepPoster(sha256, picture);
        return { sha256: await tools.webPicture(id, url, keep, untilStopped(signal)) };
      }),
    },
    settings: settingsRouter(os, services),
    messages: {
      secrets: os.messages.secrets.handler(() => messages.secrets()),
      storeSecret: os.messages.storeSecret.handler(({ input }) => messages.storeSecret(input.channel, input.secret)),
      test: os.messages.test.handler(async ({ input }) => {
        try {
          await messages.test(input.channel);
          return { ok: true, message: messageFor('message.testSent'), remedy: '' };
        } catch (error) {
          const remedy = error instanceof DailiesError ? error.remedy : '';
          return { ok: false, message: toText(error), remedy };
        }
      }),
    },
    studio: {
      get: os.studio.get.handler(async () => ({ hostName: hostname(), studio: await studio.get() })),
      join: os.studio.join.handler(({ input }) => studio.join(input)),
      change: os.studio.change.handler(({ input }) => studio.change(input)),
      leave: os.studio.leave.handler(() => studio.leave()),
      setBudget: os.studio.setBudget.handler(({ input }) => studio.setBudget(input.scope, input.limit)),
      declareDead: os.studio.declareDead.handler(({ input }) => studio.declareDead(input.machine)),
      reconcile: os.studio.reconcile.handler(() => studio.reconcile()),
    },
    desktop: {
      abilities: os.desktop.abilities.handler(() => desktop.abilities()),
      pickFolder: os.desktop.pickFolder.handler(({ input }) => desktop.pickFolder(input)),
      reveal: os.desktop.reveal.handler(async ({ input: { takeId, output } }) => {
        const file = review.files(takeId).find((each) => each.output.number === output);
        await desktop.reveal({ path: await realPathFor(found(file ?? null, 'file')) });
      }),
      revealFolder: os.desktop.revealFolder.handler(async ({ input: { projectId, batchId } }) => {
        await desktop.reveal({ path: await folderFor(engine, projectId, batchId) });
      }),
      paths: os.desktop.paths.handler(({ input }) => ({
        paths: input.ids
          .flatMap((id) => review.files(id))
          .map(({ project, output }) => toPath(placeIn(project, output.file))),
      })),
      prepareDrag: os.desktop.prepareDrag.handler(async ({ input }) =>
        desktop.prepareDrag({ files: await realPathsFor(input.ids.flatMap((id) => review.files(id))) }),
      ),
      menu: os.desktop.menu.handler(({ input }) => desktop.menu(input)),
      update: os.desktop.update.handler(({ input }) => desktop.update(input)),
      diagnostics: os.desktop.diagnostics.handler(async ({ input }) => ({
        fileName: `dailies-diagnostics-${new Date(host.clock.now()).toISOString().slice(0, 10)}.txt`,
        text: await host.diagnostics(input?.extent ?? 'whole'),
      })),
      events: os.desktop.events.handler(({ signal }) => desktop.events(undefined, { signal: untilStopped(signal) })),
    },
    events: {
      changes: os.events.changes.handler(({ signal }) => new ChangeFeed(engine, host.clock, [signal, stopping])),
    },
  });
}

/** All of them in their order where they are few; else those that cost most. */
function costliest(groups: readonly SpentGroup[], most: number): SpentGroup[] {
  if (groups.length <= most) return [...groups];
  const cost = ({ totals: { settled, unclear, reserved } }: SpentGroup): number =>
    [settled, unclear, reserved].reduce((sum, { price }) => sum + (price ?? 0), 0);
  return groups.toSorted((a, b) => cost(b) - cost(a)).slice(0, most);
}

type Table = typeof commands;

interface Procedure {
  handler(run: (given: { readonly input: never; readonly signal?: AbortSignal }) => unknown): unknown;
}

type Handled<Implementer> = Implementer extends { handler(...given: never): infer Handler } ? Handler : never;

function commandHandlers<Noun extends keyof Table>(os: Implementer, noun: Noun, services: Services) {
  const section = os[noun] as unknown as Readonly<Record<string, Procedure>>;
  const handlers = namesFor(noun).map((name) => {
    const verb = name.slice(noun.length + 1);
    const { files } = commandNamed(name);
    const handler = section[verb]?.handler(({ input, signal }) => {
      if (files && namesFile(input, files)) assureMayNameFiles(services);
      return services.engine.commands.run(name, input, services.caller, signal);
    });
    return [verb, handler];
  });
  return Object.fromEntries(handlers) as {
    readonly [Verb in keyof Table[Noun]]: Handled<Implementer[Noun][Verb & keyof Implementer[Noun]]>;
  };
}

/** Whether an input has a field in which it would name a file: `picture.path`. */
const namesFile = (input: unknown, files: true | string | readonly string[]): boolean =>
  files === true || [files].flat().some((field) => valueAt(input, field.split('.')) !== undefined);

const valueAt = (input: unknown, names: readonly string[]): unknown =>
  names.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], input);

async function realPathsFor(files: readonly TakeFile[]): Promise<[string, ...string[]]> {
  const paths: string[] = [];
  for (const file of files) paths.push(await realPathFor(file));
  const [first, ...others] = paths;
  if (first !== undefined) return [first, ...others];
  throw refused('no_files', 'failure.noFileYet');
}

async function realPathFor({ project, output }: TakeFile): Promise<string> {
  const path = await pathInside(project, output.file);
  if (path !== null) return path;
  throw refused('file_gone', messageFor('failure.fileNotInProject', { file: output.file }));
}

/** The folder of a batch where it is there, else that of its project. Refused where that is away. */
async function folderFor({ views }: Engine, projectId: string, batchId: string | undefined): Promise<string> {
  const { path, name, available } = await views.project(projectId);
  const named = batchId !== undefined && views.batches(projectId).find(({ id }) => id === batchId);
  const batch = named === false ? null : found(named ?? null, 'batch');
  // The folder of a batch is made with its first file, and one from another machine may name any other.
  const folder = (batch && (await pathInside(path, batch.folder))) ?? (available ? path : null);
  if (folder !== null) return folder;
  throw refused('no_folder', messageFor('failure.projectFolderAway', { project: name, folder: path }));
}
