import { say } from '../contract/messages/words.ts';
import { stat } from 'node:fs/promises';
import type { PlannedUpload } from '../contract/asset.ts';
import type { ShotSpec } from '../contract/shot.ts';
import type { PlannedRequest } from '../contract/take.ts';
import { keyFingerprint, originOf } from '../engine/api/address.ts';
import { planStart } from '../engine/batches/plan-start.ts';
import { pricesOn } from '../engine/batches/price.ts';
import type { TakeCount } from '../engine/db/take-store.ts';
import type { Account } from '../engine/db/service-store.ts';
import { isEntryMissing } from '../engine/jobs/missing-entries.ts';
import { takeStem } from '../engine/downloads/take-path.ts';
import { driverOf } from '../engine/kinds/index.ts';
import { shotReferences } from '../engine/kinds/shot-reference.ts';
import { knownLibrary, plannedUploads } from '../engine/library/needs.ts';
import { findKey } from '../host/key.ts';
import { timeLeft, type ProjectView } from './look.ts';
import { jsonLine } from './output/ndjson.ts';
import type { Reporter } from './output/reporter.ts';
import { bytesForPeople } from '../contract/units.ts';
import { plainText } from './output/text.ts';
import type { ReadList, RunOptions } from './read-list.ts';
import { settingsOf } from './service-access.ts';
import type { Session } from './session.ts';

/** Prints which files would be uploaded and the exact request of each shot. Sends nothing and writes nothing. */
export async function printRequests(
  session: Session,
  { options, list, reporter, seen }: { options: RunOptions; list: ReadList; reporter: Reporter; seen: ProjectView },
): Promise<void> {
  const { view, project } = seen;
  const settings = settingsOf(session);
  const found = await findKey(session.shell, session.dataFolder);
  const account = found && accountOf(settings.baseUrl, found.key);
  const { batch: name = list.batchName, again = false, merge: keepOthers, json = false } = options;
  const { shots } = list.checked;
  const service = project && view.projects.service(project.id);
  const priced = { ...settings, prices: pricesOn(service, settings.prices) };
  const asked = { projectId: project?.id ?? '', name, settings: priced, shots, again, keepOthers };
  const { plan, toMake } = planStart(view.batches, asked);
  const batch = project && view.batches.named(project.id, name);
  const takes = batch ? view.batches.takes.counts(batch.id) : new Map<string, TakeCount>();
  const { listFolder } = list;
  const toUpload = toMake.map(({ shot }) => shot);
  const uploads = await plannedUploads(account && knownLibrary(view.db, account), toUpload, listFolder);
  for (const upload of uploads) printUpload(session, upload, json);
  for (const { shot, takes: missing } of toMake) {
    const entryIsMissing = account !== null && isEntryMissing(view.service, account, shot, session.shell.clock.now());
    const context = { settings, listFolder, assets: new Map<string, string>(), entryIsMissing };
    const request = driverOf(shot.kind).toRequest(shot, context);
    const firstTake = (takes.get(shot.key)?.last ?? 0) + 1;
    // A stored batch keeps its own template.
    const template = batch?.nameTemplate ?? settings.nameTemplate;
    const names = Array.from({ length: missing }, (_, index) =>
      takeStem({ template, shot, batch: name, take: firstTake + index }),
    );
    await printRequest(session, { shot, names, request, json });
  }
  const { newTakes } = plan;
  const counts = { added: plan.added.length, changed: plan.changed.length, unchanged: plan.unchanged };
  const waiting = waitingTakes(shots, new Set([...plan.added, ...plan.changed]), takes);
  reporter.plan({ batch: name, ...counts, removed: plan.removed.length, newTakes, waiting });
  const { lines, currency, price, unpriced } = plan;
  const lasts = timeLeft(
    view,
    { account, settings },
    lines.map(({ model, takes: waits }) => ({ service: null, model, waiting: waits })),
  );
  reporter.estimate({ newTakes, lines, currency, price, unpriced, lasts });
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  reporter.say(say('cli.dryRun', { requests: newTakes, uploads: uploads.length, size: bytesForPeople(bytes) }));
}

function waitingTakes(
  shots: readonly ShotSpec[],
  others: ReadonlySet<string>,
  takes: ReadonlyMap<string, TakeCount>,
): number {
  const unchanged = shots.filter(({ key }) => !others.has(key));
  return unchanged.reduce((sum, { key }) => sum + (takes.get(key)?.waiting ?? 0), 0);
}

/** Whose library and learned facts count; null when no address is set. */
const accountOf = (baseUrl: string, key: string): Account | null =>
  baseUrl === '' ? null : { origin: originOf(baseUrl), keyFingerprint: keyFingerprint(key) };

function printUpload({ shell }: Session, upload: PlannedUpload, json: boolean): void {
  const { path, bytes, type: media, model, role, group, shots } = upload;
  if (json) {
    shell.stdout.write(jsonLine({ type: 'upload', path, bytes, media, model, role, group, shots }));
    return;
  }
  const size = bytesForPeople(bytes);
  const words = { file: plainText(path), size, role, model: plainText(model), shots: shots.length };
  const line =
    group === undefined
      ? say('cli.plannedUpload', words)
      : say('cli.plannedUploadGroup', { ...words, group: plainText(group) });
  shell.stdout.write(`${line}\n`);
}

interface PrintedRequest {
  readonly shot: ShotSpec;
  /** The names of each take's files, without extension. */
  readonly names: readonly string[];
  readonly request: PlannedRequest;
  readonly json: boolean;
}

async function printRequest({ shell }: Session, { shot, names, request, json }: PrintedRequest): Promise<void> {
  const { method, path, body } = request;
  const takes = names.length;
  const waitsFor = [...new Set(shotReferences(shot).map(({ cell }) => cell))];
  const files = await Promise.all(
    request.files
      .filter(({ path: file }) => !waitsFor.includes(file))
      .map(async (file) => ({ ...file, bytes: (await stat(file.path)).size })),
  );
  if (json) {
    shell.stdout.write(
      jsonLine({ type: 'request', shot: shot.key, takes, names, method, path, body, files, waitsFor }),
    );
    return;
  }
  shell.stdout.write(`${say('cli.plannedRequest', { shot: plainText(shot.key), takes })}: ${method} ${path}\n`);
  shell.stdout.write(`  ${plainText(JSON.stringify(body))}\n`);
  shell.stdout.write(`  ${say('cli.savedAs', { names: names.map(plainText).join(', ') })}\n`);
  if (waitsFor.length > 0)
    shell.stdout.write(`  ${say('cli.waitsFor', { cells: waitsFor.map(plainText).join(', ') })}\n`);
  for (const { field, path: file, bytes } of files) {
    shell.stdout.write(`  ${field}: ${plainText(file)} (${bytesForPeople(bytes)})\n`);
  }
}
