import { textForLog } from '../../contract/messages/message.ts';
import { say } from '../../contract/messages/words.ts';
import { join } from 'node:path';
import type { Settings } from '../../contract/settings.ts';
import type { DemoService } from '../../demo/service.ts';
import { resourcesFolder } from '../../host/package-folder.ts';
import type { CommandEngine } from '../engine.ts';
import { withEngine } from '../own-engine.ts';
import type { ExitStatus } from '../exit.ts';
import type { Reporter } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { batchFolder, performRun, type PreparedRun, type RunNeeds } from '../perform-run.ts';
import { viewDataFolder } from '../look.ts';
import { readList, type ReadList } from '../read-list.ts';
import type { Session } from '../session.ts';
import { listOf, prepared, startList } from '../commands/run.ts';

export interface Demo {
  readonly session: Session;
  readonly service: DemoService;
  readonly settings: Settings;
  /** Project folder, absolute. */
  readonly out: string;
  readonly reporter: Reporter;
  readonly seen: RunNeeds['seen'];
  readonly goOn: string;
}

export async function demoList({ session, settings }: Pick<Demo, 'session' | 'settings'>, name: string) {
  const file = join(resourcesFolder(), 'samples', name);
  const list = await readList(session, { list: file }, { settings });
  const [defect] = list.checked.defects.filter(({ severity }) => severity === 'error');
  if (defect)
    throw new Error(`The list ${name} is broken: row ${defect.row}, ${defect.column}: ${textForLog(defect.problem)}`);
  return list;
}

export async function performDemo(demo: Demo, list: ReadList, batch: string): Promise<ExitStatus> {
  const { session, service, settings, reporter, seen } = demo;
  const access = { settings: { ...settings, baseUrl: service.url }, apiKey: service.apiKey };
  const needs = { ...access, command: 'dailies demo' };
  // Its service and its engine both run in this process.
  const connector: RunNeeds['connector'] = {
    use: (work) => withEngine(session, needs, work),
  };
  return performRun(session, { connector, reporter, resumePaused: true, seen }, (engine) =>
    whatToDo(demo, engine, { list, batch }),
  );
}

/** What the last demo left unfinished comes first; only then are new takes made. */
async function whatToDo(
  { session, out, reporter, goOn }: Demo,
  engine: CommandEngine,
  { list, batch: name }: { readonly list: ReadList; readonly batch: string },
): Promise<PreparedRun> {
  const { project } = await engine.api.projects.open({ path: out });
  const { batch, left } = lastDemo(session, project.id, name);
  if (batch && left > 0 && !engine.recovery.interruptedImports.includes(name)) {
    reporter.say(say('cli.lastDemo', { count: left }));
    const plan = {
      scope: { projectId: project.id, batchId: batch.id },
      title: say('cli.titleBatch', { batch: name, project: plainText(project.name) }),
      folders: () => [batchFolder(project.path, batch)],
      goOn,
    };
    return { plan, watch: await engine.watch(plan.scope, { resumePaused: true }) };
  }
  const again = batch !== null && left === 0;
  const { listFolder, source, checked } = list;
  const started = await startList(engine, { project: out, name, again, listFolder, source, ...listOf(checked) });
  const { plan, watch } = await prepared(engine, started, reporter, { resumePaused: true });
  return { plan: { ...plan, goOn }, watch };
}

function lastDemo({ dataFolder }: Session, projectId: string, name: string) {
  return viewDataFolder(dataFolder, (view) => {
    const batch = view.batches.named(projectId, name);
    return { batch, left: batch ? view.queries.counts({ batchId: batch.id }).unfinished : 0 };
  });
}
