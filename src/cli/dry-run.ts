import { say } from '../contract/messages/words.ts';
import { stat } from 'node:fs/promises';
import type { PlannedUpload } from '../contract/asset.ts';
import type { ImportPlan, ShotSpec } from '../contract/shot.ts';
import type { PlannedRequest } from '../contract/take.ts';
import { keyFingerprint, originOf } from '../engine/api/address.ts';
import type { Estimate } from '../contract/batch.ts';
import type { Settings } from '../contract/settings.ts';
import type { TimeSpan } from '../contract/time-span.ts';
import { estimate } from '../engine/batches/estimate.ts';
import { pricesOn } from '../engine/batches/price.ts';
import { workLeft } from '../engine/jobs/expected-work.ts';
import { expectedSpan } from '../engine/machine/expected-end.ts';
import { planBatch } from '../engine/batches/start-batch.ts';
import type { TakeCount } from '../engine/db/take-store.ts';
import { ServiceStore, type Account } from '../engine/db/service-store.ts';
import { isEntryMissing } from '../engine/jobs/missing-entries.ts';
import { takeStem } from '../engine/downloads/take-path.ts';
import { driverOf } from '../engine/kinds/index.ts';
import { shotReferences } from '../engine/kinds/shot-reference.ts';
import { planImport } from '../engine/batches/plan-import.ts';
import { knownLibrary, plannedUploads } from '../engine/library/planned-uploads.ts';
import { findKey } from '../host/key.ts';
import type { ProjectView, View } from './look.ts';
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
  const { view } = seen;
  const settings = settingsOf(session);
  const found = await findKey(session.shell, session.dataFolder);
  const account = found && accountOf(settings.baseUrl, found.key);
  const batch = options.batch ?? list.batchName;
  const { plan, takes, nameTemplate } = planned(seen, { options, list });
  const toMake = [...plan.added, ...plan.changed, ...plan.unchanged]
    .map((shot) => ({
      shot,
      missing: missingTakes(shot, takes.get(shot.key), { plan, again: options.again === true }),
    }))
    .filter(({ missing }) => missing > 0);
  const uploads = await plannedUploads(
    account && knownLibrary(view.db, account),
    toMake.map(({ shot }) => shot),
    list.listFolder,
  );
  const withoutEntry = shotsWithoutEntry(view, session, account, toMake);
  for (const upload of uploads) printUpload(session, upload, options.json === true);
  for (const { shot, missing } of toMake) {
    const context = {
      settings,
      listFolder: list.listFolder,
      assets: new Map<string, string>(),
      entryIsMissing: withoutEntry.has(shot),
    };
    const request = driverOf(shot.kind).toRequest(shot, context);
    const firstTake = (takes.get(shot.key)?.last ?? 0) + 1;
    const names = Array.from({ length: missing }, (_, index) =>
      takeStem({ template: nameTemplate ?? settings.nameTemplate, shot, batch, take: firstTake + index }),
    );
    await printRequest(session, { shot, names, request, json: options.json === true });
  }
  const newTakes = toMake.reduce((sum, { missing }) => sum + missing, 0);
  reporter.plan({
    batch,
    added: plan.added.length,
    changed: plan.changed.length,
    unchanged: plan.unchanged.length,
    removed: plan.removed.length,
    newTakes,
    waiting: waitingTakes(plan, takes),
  });
  const service = seen.project && view.projects.service(seen.project.id);
  const comesTo = estimate(
    toMake.map(({ shot, missing }) => ({ shot, takes: missing })),
    { ...settings, prices: pricesOn(service, settings.prices) },
  );
  reporter.estimate({ ...comesTo, lasts: lengthOf(view, { account, settings, comesTo }) });
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  reporter.say(say('cli.dryRun', { requests: newTakes, uploads: uploads.length, size: bytesForPeople(bytes) }));
}

interface Planned {
  readonly plan: ImportPlan;
  readonly takes: ReadonlyMap<string, TakeCount>;
  /** The order of the stored batch, which keeps its own; null without a batch. */
  readonly nameTemplate: string | null;
}

function planned({ view, project }: ProjectView, { options, list }: { options: RunOptions; list: ReadList }): Planned {
  const { shots } = list.checked;
  if (!project) return { plan: planImport([], shots), takes: new Map(), nameTemplate: null };
  const name = options.batch ?? list.batchName;
  const batch = view.batches.named(project.id, name);
  return {
    plan: planBatch(view.batches, project.id, name, shots, options.merge),
    takes: batch ? view.batches.takes.counts(batch.id) : new Map<string, TakeCount>(),
    nameTemplate: batch?.nameTemplate ?? null,
  };
}

function missingTakes(
  shot: ShotSpec,
  made: TakeCount | undefined,
  { plan, again }: { plan: ImportPlan; again: boolean },
): number {
  // A changed shot has takes of its earlier content, none of its present one.
  if (!made || plan.changed.includes(shot)) return shot.takes;
  return Math.max(0, shot.takes - (again ? made.again : made.current));
}

/**
 * How long it takes together with what is queued, by the times this data folder has learned; null with too few of them.
 */
function lengthOf(
  { queries, service }: View,
  { account, settings, comesTo }: { account: Account | null; settings: Settings; comesTo: Estimate },
): TimeSpan | null {
  const accountOf = (service: string | null) => (service === null ? account : null);
  const learned = { queries, service, accountOf, maxRate: settings.maxRate.submit };
  return expectedSpan(
    workLeft(
      learned,
      comesTo.lines.map(({ model, takes }) => ({ service: null, model, waiting: takes })),
    ),
  );
}

function waitingTakes({ unchanged }: ImportPlan, takes: Planned['takes']): number {
  return unchanged.reduce((sum, { key }) => sum + (takes.get(key)?.waiting ?? 0), 0);
}

/** Whose library and learned facts count; null when no address is set. */
function accountOf(baseUrl: string, key: string): Account | null {
  return baseUrl === '' ? null : { origin: originOf(baseUrl), keyFingerprint: keyFingerprint(key) };
}

function shotsWithoutEntry(
  view: View,
  { shell }: Session,
  account: Account | null,
  toMake: readonly { readonly shot: ShotSpec }[],
): ReadonlySet<ShotSpec> {
  if (!account) return new Set();
  const service = new ServiceStore(view.db);
  const now = shell.clock.now();
  return new Set(toMake.map(({ shot }) => shot).filter((shot) => isEntryMissing(service, account, shot, now)));
}

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
