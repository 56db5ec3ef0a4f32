import { textForLog } from '../contract/messages/message.ts';
import type { OpenedProject } from '../engine/projects/project-claims.ts';
import { readTable } from '../engine/batches/read-table.ts';
import { checkList } from '../engine/batches/validate.ts';
import { realPath } from '../engine/files/existing-paths.ts';
import type { Services } from './services.ts';

/** The service that the sample project, and nothing else, is on. */
export const SAMPLE_SERVICE = 'demo';
const BATCH = 'sample';

export async function openSample({ engine, host, caller }: Services): Promise<OpenedProject> {
  const { service, projectFolder, list } = await host.sample();
  engine.useService(SAMPLE_SERVICE, service);
  const project = await engine.projects.open(projectFolder);
  engine.projects.putOnService(project.id, SAMPLE_SERVICE);
  if (engine.stores.batches.named(project.id, BATCH)) return project;
  const table = await readTable({ bytes: list.bytes, name: list.name });
  const { shots, defects } = await checkList(table, { listFolder: list.folder });
  const [defect] = defects.filter(({ severity }) => severity === 'error');
  if (defect) throw new Error(`The sample list is broken: ${textForLog(defect.problem)}`);
  const agreed = [await realPath(list.folder)];
  const written = { headers: table.headers, rows: table.rows, mapping: {}, kind: null, defaults: {} };
  const request = { project, name: BATCH, listFolder: list.folder, source: list.name, shots, again: false, agreed };
  await engine.batches.start({ ...request, list: written, by: caller });
  return project;
}
