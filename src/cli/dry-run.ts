import { t } from '../contract/messages/words.ts';
import { stat } from 'node:fs/promises';
import type { PlannedUpload } from '../contract/asset.ts';
import type { ShotSpec } from '../contract/shot.ts';
import type { PlannedRequest } from '../contract/take.ts';
import { keyFingerprint, toOrigin } from '../engine/api/address.ts';
import { resolve } from 'node:path';
import { serviceOfAccount } from '../contract/accounts.ts';
import { planStart } from '../engine/batches/plan-start.ts';
import type { TakeCount } from '../engine/db/take-store.ts';
import type { Account } from '../engine/db/service-store.ts';
import { isEntryMissing } from '../engine/jobs/planning.ts';
import { takeStem } from '../engine/downloads/take-path.ts';
import { driverFor } from '../engine/kinds/index.ts';
import { shotReferences } from '../engine/kinds/shot-reference.ts';
import { knownLibrary, plannedUploads } from '../engine/library/needs.ts';
import { timeLeft, type ProjectView } from './look.ts';
import { printOne } from './output/list.ts';
import { estimateLines, showPlan } from './output/words.ts';
import { spanInWords, sumsInWords } from '../contract/in-words.ts';
import type { Reporter } from './output/reporter.ts';
import { bytesForPeople } from '../contract/units.ts';
import { plainText } from './output/text.ts';
import type { ReadList, RunOptions } from './read-list.ts';
import { accountNeeded, keyIfAny, settingsForAccount } from './service-access.ts';
import type { Session } from './session.ts';

/** Prints which files would be uploaded and the exact request of each shot. Sends nothing and writes nothing. */
export async function printRequests(
  session: Session,
  { options, list, reporter, seen }: { options: RunOptions; list: ReadList; reporter: Reporter; seen: ProjectView },
): Promise<void> {
  const { view, project } = seen;
  const payer = accountNeeded(session, resolve(session.shell.cwd, options.project));
  const service = serviceOfAccount(payer.id);
  const settings = settingsForAccount(session, payer);
  const found = await keyIfAny(session, payer);
  const account = found && accountWith(settings.baseUrl, found.key);
  const { batch: name = list.batchName, again = false, merge: keepOthers } = options;
  const { shots } = list.checked;
  const asked = { projectId: project?.id ?? '', name, settings, shots, again, keepOthers };
  const { plan, toMake } = await planStart(view.batches, asked);
  const batch = project && view.batches.named(project.id, name);
  const takes = batch ? view.batches.takes.counts(batch.id) : new Map<string, TakeCount>();
  const { listFolder } = list;
  const toUpload = toMake.map(({ shot }) => shot);
  const uploads = await plannedUploads(account && knownLibrary(view.db, account), toUpload, listFolder);
  for (const upload of uploads) printUpload(session, upload);
  for (const { shot, takes: missing } of toMake) {
    const entryIsMissing = account !== null && isEntryMissing(view.service, account, shot, session.shell.clock.now());
    const context = { settings, listFolder, assets: new Map<string, string>(), entryIsMissing };
    const request = driverFor(shot.kind).toRequest(shot, context);
    const firstTake = (takes.get(shot.key)?.last ?? 0) + 1;
    // A stored batch keeps its own template.
    const template = batch?.nameTemplate ?? settings.nameTemplate;
    const names = Array.from({ length: missing }, (_, index) =>
      takeStem({ template, shot, batch: name, take: firstTake + index }),
    );
    await printRequest(session, shot, names, request);
  }
  const { newTakes } = plan;
  const counts = { added: plan.added.length, changed: plan.changed.length, unchanged: plan.unchanged };
  const waiting = waitingTakes(shots, new Set([...plan.added, ...plan.changed]), takes);
  showPlan(reporter, { batch: name, ...counts, removed: plan.removed.length, newTakes, waiting });
  const { lines, currency, price, unpriced } = plan;
  const lasts = timeLeft(
    view,
    { account, service, settings },
    lines.map(({ model, takes: waits }) => ({ service, model, waiting: waits })),
  );
  const { tonight, afterPicks, atMost } = plan;
  const estimate = { newTakes, lines, currency, price, unpriced, tonight, afterPicks, atMost };
  reporter.show([{ type: 'estimate', ...estimate, lasts }], () => [
    ...estimateLines(estimate),
    ...(afterPicks.takes === 0 ? [] : [t('cli.chainSums', sumsInWords(estimate, currency))]),
    ...(newTakes === 0
      ? []
      : [lasts ? t('start.lasts', { span: spanInWords(lasts), from: 'none' }) : t('start.lastsUnknown')]),
  ]);
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  reporter.say(t('cli.dryRun', { requests: newTakes, uploads: uploads.length, size: bytesForPeople(bytes) }));
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
const accountWith = (baseUrl: string, key: string): Account | null =>
  baseUrl === '' ? null : { origin: toOrigin(baseUrl), keyFingerprint: keyFingerprint(key) };

function printUpload(session: Session, upload: PlannedUpload): void {
  const { path, bytes, type: media, model, role, group, shots } = upload;
  const words = {
    ...{ file: plainText(path), size: bytesForPeople(bytes), role },
    ...{ model: plainText(model), shots: shots.length },
    ...{ grouped: group === undefined ? 'no' : 'yes', group: plainText(group ?? '') },
  };
  printOne(session, { type: 'upload', path, bytes, media, model, role, group, shots }, t('cli.plannedUpload', words));
}

/** `names`: those of each take's files, without extension. */
async function printRequest(
  session: Session,
  shot: ShotSpec,
  names: readonly string[],
  { method, path, body, files: named }: PlannedRequest,
): Promise<void> {
  const takes = names.length;
  const waitsFor = [...new Set(shotReferences(shot).map(({ cell }) => cell))];
  const files = await Promise.all(
    named
      .filter(({ path: file }) => !waitsFor.includes(file))
      .map(async (file) => ({ ...file, bytes: (await stat(file.path)).size })),
  );
  const lines = [
    `${t('cli.plannedRequest', { shot: plainText(shot.key), takes })}: ${method} ${path}`,
    `  ${plainText(JSON.stringify(body))}`,
    `  ${t('cli.savedAs', { names: names.map(plainText).join(', ') })}`,
    ...(waitsFor.length > 0 ? [`  ${t('cli.waitsFor', { cells: waitsFor.map(plainText).join(', ') })}`] : []),
    ...files.map(({ field, path: file, bytes }) => `  ${field}: ${plainText(file)} (${bytesForPeople(bytes)})`),
  ];
  const object = { type: 'request', shot: shot.key, takes, names, method, path, body, files, waitsFor };
  printOne(session, object, lines.join('\n'));
}
