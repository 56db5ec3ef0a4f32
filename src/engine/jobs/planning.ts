import type { ShotSpec } from '../../contract/shot.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import type { Job } from '../db/job-store.ts';
import type { Project } from '../db/project-store.ts';
import { type Account, accountKey, type ServiceStore } from '../db/service-store.ts';
import type { RequestContext } from '../kinds/rules.ts';
import { type Needs, needsFor } from '../library/needs.ts';
import { realPath } from '../files/existing-paths.ts';
import type { StepContext } from './step-context.ts';
import { driverFor, rulesFor } from '../kinds/index.ts';
import { type Message, messageFor, type Text } from '../../contract/messages/message.ts';
import { formats } from '../../contract/formats.ts';
import { marksOf, toMarks } from '../../contract/frame-changes.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { ShownShot } from '../../contract/batch.ts';
import type { WantedFrame } from '../../contract/job.ts';
import { buttonName, buttonsCalled, type Output, type TakeSource } from '../../contract/take.ts';
import type { BatchesBeside, NamedBatch } from '../batches/check-references.ts';
import { keyFinder } from '../batches/shot-graph.ts';
import { toText } from '../base/errors.ts';
import { placeIn, toPath } from '../files/place.ts';
import { look, readFile } from '../files/project-files.ts';
import {
  type FileWanted,
  type FindKey,
  fits,
  type FilmFrame,
  type Frame,
  frameByMarks,
  frameName,
  type NamedShot,
  type Replacement,
  shotNamed,
  type ShotReference,
  shotReferences,
  withReplacements,
} from '../kinds/shot-reference.ts';
import { toAttempt, toTask } from '../machine/job-facts.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';
import { framePlace } from '../library/frames.ts';
import { contentFor, LocalFileError, stampFor } from '../library/identity.ts';
import { type MediaTrouble, troubleOfError } from '../library/library-parts.ts';

export function planningOf(
  context: StepContext,
  account: Account,
  job: Job,
): Completed & { readonly planning: RequestContext } {
  const shot = shotFor(context, job);
  const { spec, listFolder } = shot;
  const { service, settings } = context;
  return {
    spec,
    files: shot.files,
    planning: {
      settings,
      listFolder,
      assets: assetsFor(needsFor(spec, listFolder), preparedMedia(context, account, job, shot.files)),
      entryIsMissing: isEntryMissing(service, account, spec, context.ports.clock.now()),
    },
  };
}

export function shotFor(context: StepContext, job: Job): Completed & { readonly listFolder: string } {
  const { spec, listFolder } = rowFor(context, job);
  return { ...completed(context, job, spec), listFolder };
}

export function rowFor({ batches }: Pick<StepContext, 'batches'>, job: Job) {
  const shot = batches.shot(job.shotId);
  const batch = batches.get(job.batchId);
  if (!shot || !batch) throw new Error(`Job ${job.id} has lost its shot.`);
  return { spec: shot.spec, batch, listFolder: batch.listFolder };
}

export function preparedMedia(
  { uses }: StepContext,
  account: Account,
  job: Job,
  files: readonly UsedFile[],
): TakeAsset[] {
  const paths = new Map(files.map(({ cell, path }) => [cell, path]));
  return uses.preparedFor(account, job.id).map(({ path = '', ...use }) => ({ ...use, path: paths.get(path) ?? path }));
}

/** `Asset://id` of each local path. Throws when one is missing: a local path must not be sent. */
function assetsFor({ local }: Needs, prepared: readonly TakeAsset[]): ReadonlyMap<string, string> {
  const assets = new Map(prepared.map(({ path = '', assetId }) => [path, `Asset://${assetId}`]));
  const missing = local.find(({ cell }) => !assets.has(cell));
  if (missing) throw new Error(`${missing.cell} has not been uploaded`);
  return assets;
}

/** Files that the shots of a project may send from this machine: those in its folder, and those a person agreed to. */
export async function agreedIn(
  { agreements }: Pick<StepContext, 'agreements'>,
  { id, path }: Project,
): Promise<string[]> {
  return [await realPath(path), ...agreements.of(id)];
}

export function projectFor({ projects }: Pick<StepContext, 'projects'>, job: Job): Project {
  const project = projects.get(job.projectId);
  if (!project) throw new Error(`Job ${job.id} has lost its project.`);
  return project;
}

/** After a day the entry is tried again: access may have been granted. */
const RECHECK_MS = 24 * 3_600_000;

/** True for a day after the service said that it has no such optional endpoint for shots of this kind. */
export function isEntryMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): boolean {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  const since = fact === undefined ? null : service.accountFact(account, fact);
  return since !== null && now - Number(since) <= RECHECK_MS;
}

export function learnEntryIsMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): void {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  if (fact !== undefined) service.saveAccountFact(account, fact, String(now));
}

export type SourceSearch =
  | { readonly type: 'found'; readonly sources: readonly TakeSource[] }
  | { readonly type: 'waiting'; readonly key: string; readonly batchId: string }
  /** It needs a frame of a film, and nothing here can read one. */
  | { readonly type: 'undecoded'; readonly cell: string }
  | { readonly type: 'failed'; readonly what: Text; readonly trouble: MediaTrouble };

const MAX_TEXT = 1000 ** 2;

/** The references of a job that have no file yet: all of them, or none. */
export function shotsToFind({ sources }: Pick<StepContext, 'sources'>, job: Job, spec: ShotSpec): ShotReference[] {
  const references = shotReferences(spec);
  if (references.length === 0) return [];
  const known = new Set(sources.of(job.id).map(({ parameter, cell }) => JSON.stringify([parameter, cell])));
  return references.filter(({ parameter, cell }) => !known.has(JSON.stringify([parameter, cell])));
}

/** The take that each reference means now; must be stored: it stays with the job. */
export async function findSources(
  context: StepContext,
  job: Job,
  references: readonly ShotReference[],
): Promise<SourceSearch> {
  const found = references.map((reference) => findSource(context, job, reference));
  const failure = found.find((each) => each.type === 'failed');
  if (failure) return failure;
  const waiting = found.find((each) => each.type === 'waiting');
  if (waiting) return waiting;
  const sources: TakeSource[] = [];
  for (const each of found) {
    if (each.type === 'named') sources.push(each.source);
    if (each.type !== 'found') continue;
    const { reference, take, output, frame } = each;
    const source: TakeSource = {
      ...{ takeId: take.takeId, how: 'reference', parameter: reference.parameter, cell: reference.cell },
      ...{ output: output.number, sha256: output.sha256 },
    };
    if (frame) {
      const made = await context.frames.frameOf(projectFor(context, job).path, output, frame);
      if (made.type === 'no_decoder') return { type: 'undecoded', cell: reference.cell };
      if (made.type === 'found') {
        const { number, sha256, isDark } = made;
        sources.push({ ...source, frame: number, sha256, ...(isDark && { isDark }) });
        continue;
      }
      const facts = { ...take, file: output.file, frame: frameName(frame) };
      if (made.type === 'none') {
        const problem = messageFor('failure.noSuchFrame', facts);
        return failed(reference, 'no_such_frame', problem, messageFor('remedy.correctFrame'));
      }
      const problem = messageFor('failure.frameUnread', { ...facts, reason: made.reason });
      return failed(reference, 'frame_unread', problem, messageFor('remedy.frameUnread'));
    }
    if (reference.wants !== 'words') {
      sources.push(source);
      continue;
    }
    const text = await wordsFor(projectFor(context, job), output).catch((error: unknown) => notRead(reference, error));
    if (typeof text !== 'string') return text;
    sources.push({ ...source, text });
  }
  return { type: 'found', sources };
}

export const keysFor = ({ batches }: Pick<StepContext, 'batches'>, batchId: string): FindKey =>
  keyFinder(
    (text) => batches.takes.last(batchId, text) > 0,
    () => batches.currentKeys(batchId),
  );

export type SourceShot = NamedShot & { readonly batchId: string };

/** The shot that a name in a row of a batch means, in whichever batch of its project. */
export function shotOfName(
  context: Pick<StepContext, 'batches'>,
  { projectId, batchId }: Pick<Job, 'projectId' | 'batchId'>,
  name: string,
): SourceShot | null {
  const { batches } = context;
  const named = shotNamed(name, keysFor(context, batchId), (other) => {
    const batch = batches.named(projectId, other);
    return batch && keysFor(context, batch.id);
  });
  const batch = named?.batch == null ? batchId : batches.named(projectId, named.batch)?.id;
  return named && batch !== undefined ? { ...named, batchId: batch } : null;
}

/** Where a frame of a take is in its film: `in` and `out` by its marks. */
export const filmFrame = ({ review }: Pick<StepContext, 'review'>, takeId: string, output: number, frame: Frame) =>
  frameByMarks(frame, marksOf(toMarks(review.verdict(takeId) ?? {}), output));

/** The batches of a project, as the check of a list asks for them. */
export function batchesBeside(
  { batches, sources }: Pick<StepContext, 'batches' | 'sources'>,
  projectId: string | undefined,
  own?: string,
): BatchesBeside {
  const named = (name: string): NamedBatch | null => {
    const batch = projectId === undefined ? null : batches.named(projectId, name);
    if (!batch) return null;
    const spec = (key: string): ShotSpec | null => batches.currentShot(batch.id, key);
    const find = keyFinder(
      (text) => spec(text) !== null,
      () => batches.currentKeys(batch.id),
    );
    const isTrashed = (key: string): boolean => sources.isTrashed(batch.id, key);
    return { find, spec, isArchived: batches.isArchived(batch.id), isTrashed };
  };
  return { own, named };
}

export function filesNamed(
  context: Pick<StepContext, 'batches' | 'sources' | 'outputs' | 'jobs' | 'review'>,
  batchId: string,
  names: readonly string[],
): (ShownShot | null)[] {
  const { batches, sources, outputs, jobs } = context;
  const { projectId = '' } = batches.get(batchId) ?? {};
  return names.map((name) => {
    const named = shotOfName(context, { projectId, batchId }, name);
    const takeId = named && sources.resultsOf(named.batchId, named.key).best?.takeId;
    const job = takeId == null ? null : jobs.get(takeId);
    const output = job && outputs.outputs(job.id).find(({ number }) => number === named?.output);
    if (!job || !output) return null;
    const { number, format, facts } = output;
    const frame = named?.frame && {
      ...{ frame: frameName(filmFrame(context, job.id, number, named.frame)), frames: facts?.frames },
    };
    return { takeId: job.id, kind: job.kind, number, format, ...frame };
  });
}

type Found =
  | {
      readonly type: 'found';
      readonly reference: ShotReference & { readonly wants: FileWanted };
      readonly take: { readonly takeId: string; readonly shot: string; readonly take: string };
      readonly output: Output;
      readonly frame: FilmFrame | null;
    }
  /** Known to the service: its name takes the place of the cell. */
  | { readonly type: 'named'; readonly source: TakeSource };

function findSource(
  context: StepContext,
  job: Job,
  reference: ShotReference,
): Found | Exclude<SourceSearch, { type: 'found' }> {
  const { sources, outputs, batches } = context;
  const shot = shotOfName(context, job, reference.name);
  if (!shot) {
    const problem = messageFor('failure.noSuchShot');
    return failed(reference, 'no_such_shot', problem, messageFor('remedy.correctCell'));
  }
  const { output: number, frame, batchId } = shot;
  const key = shot.batch === null ? shot.key : `${shot.batch}:${shot.key}`;
  if (batches.isArchived(batchId)) {
    const problem = messageFor('defect.batchArchived', { batch: shot.batch ?? '' });
    return failed(reference, 'batch_archived', problem, messageFor('remedy.unarchiveBatch'));
  }
  const { best, mayCome } = sources.resultsOf(batchId, shot.key);
  if (!best) {
    if (mayCome) return { type: 'waiting', key: shot.key, batchId };
    if (sources.isTrashed(batchId, shot.key)) {
      const problem = messageFor('failure.takesInTrash', { shot: key });
      return failed(reference, 'takes_in_trash', problem, messageFor('remedy.restoreTakeThenRetry'));
    }
    const remedy = messageFor('remedy.makeTakeOf', { shot: key });
    return failed(reference, 'no_result', messageFor('failure.noTakeOf', { shot: key }), remedy);
  }
  const { parameter, cell, wants } = reference;
  const take = { shot: key, take: String(best.take) };
  const named = (text: string) =>
    ({ type: 'named', source: { takeId: best.takeId, how: 'reference', parameter, cell, text } }) as const;
  if (wants === 'task') {
    const text = taskToContinue(context, job.kind, best.takeId);
    if (text !== null) return named(text);
    const problem = messageFor('failure.takeWithoutTask', take);
    return failed(reference, 'no_task', problem, messageFor('remedy.pickOtherTakeOrNumber'));
  }
  const made = purposeMade(context, best.takeId);
  if (frame === null && made !== undefined && made === reference.purpose) {
    const asset = context.extras.of(best.takeId)?.asset;
    if (asset) return named(`Asset://${asset.id}`);
    const problem = messageFor('failure.takeWithoutAsset', take);
    return failed(reference, 'no_asset', problem, messageFor('remedy.pickOtherTakeOrNumber'));
  }
  const files = outputs.outputs(best.takeId);
  const output = files.find((file) => file.number === number);
  if (!output) {
    const problem = messageFor('failure.takeWithoutFile', { ...take, number: String(number) });
    return failed(reference, 'no_such_output', problem, messageFor('remedy.pickOtherTakeOrNumber'));
  }
  const { medium } = formats[output.format];
  if (frame && medium !== 'moving') {
    const problem = messageFor('failure.takeNotFilm', { ...take, format: output.format });
    return failed(reference, 'wrong_medium', problem, messageFor('remedy.correctFrame'));
  }
  if (!fits(frame ? 'still' : medium, wants)) {
    const problem = messageFor('failure.takeOfOtherMedium', { ...take, wanted: wants, format: output.format });
    return failed(reference, 'wrong_medium', problem, messageFor('remedy.pickOtherTakeOrNumber'));
  }
  return {
    ...{ type: 'found', reference: { ...reference, wants }, take: { ...take, takeId: best.takeId }, output },
    frame: frame && filmFrame(context, best.takeId, number, frame),
  };
}

/** The purpose of the asset that a take was to make; undefined for one that makes none. */
function purposeMade({ jobs, batches }: StepContext, takeId: string): string | undefined {
  const made = jobs.get(takeId);
  const spec = made && batches.shot(made.shotId)?.spec;
  return spec ? kindSpecs[spec.kind].assetOf?.(spec.params) : undefined;
}

/** The task of a take of this kind; null where it has none. When a take has several tasks, the first. */
export function taskToContinue({ jobs }: Pick<StepContext, 'jobs'>, kind: Kind, takeId: string): string | null {
  const made = jobs.get(takeId);
  return made?.kind === kind ? (toTask(made.state)?.id ?? null) : null;
}

/** Why a task or asset of another take cannot be used: only the account that made it knows it. Null when it can. */
export function sourceOfOtherAccount(
  { jobs, sources }: Pick<StepContext, 'jobs' | 'sources'>,
  account: Account,
  job: Job,
): Extract<SourceSearch, { type: 'failed' }> | null {
  for (const { takeId, parameter = '', cell = '', text } of sources.of(job.id)) {
    const { type } = kindSpecs[job.kind].parameters.find(({ name }) => name === parameter) ?? {};
    const isOfAccount = type === 'task' || (type === 'media' && text !== undefined);
    const made = isOfAccount ? jobs.get(takeId) : null;
    const attempt = made ? toAttempt(made.state) : null;
    if (!made || !attempt || accountKey(attempt) === accountKey(account)) continue;
    const problem = messageFor('failure.takeOfOtherAccount', { take: String(made.take), shot: made.shotKey });
    return failed({ cell, parameter }, 'other_account', problem, messageFor('remedy.setItsAccount'));
  }
  return null;
}

type Pressed = Replacement | Extract<SourceSearch, { type: 'failed' }>;

/**
 * Ids of buttons are made with their picture, so a list names a button by its label. Null for a job that presses none,
 * or whose task is named by its id: then the cell is sent as it is.
 */
function pressedButton({ extras, sources }: StepContext, job: Job, { params }: ShotSpec): Pressed | null {
  const { press } = kindSpecs[job.kind];
  const cell = press && params[press.button];
  const take = press && sources.of(job.id).find(({ parameter }) => parameter === press.task);
  if (!take || typeof cell !== 'string') return null;
  const parameter = press.button;
  const buttons = extras.of(take.takeId)?.buttons ?? [];
  const [button, ...others] = buttonsCalled(cell, buttons);
  if (button && others.length === 0) return { parameter, cell, by: button.customId };
  const source = take.cell ?? press.task;
  const problem = button
    ? messageFor('failure.severalButtons', { source, count: others.length + 1 })
    : messageFor('failure.noSuchButton', { source });
  const remedy =
    buttons.length === 0
      ? messageFor('remedy.nameJobStyleImage')
      : messageFor('remedy.correctButton', { buttons: buttons.map(buttonName) });
  return failed({ cell, parameter }, 'no_such_button', problem, remedy);
}

export function unknownButton(
  context: StepContext,
  job: Job,
  spec: ShotSpec,
): Extract<SourceSearch, { type: 'failed' }> | null {
  const pressed = pressedButton(context, job, spec);
  return pressed && 'type' in pressed ? pressed : null;
}

async function wordsFor({ path }: Project, { file }: Output): Promise<string> {
  const content = await readFile(placeIn(path, file), MAX_TEXT);
  return new TextDecoder('utf-8', { fatal: true }).decode(content).trim();
}

const notRead = (reference: ShotReference, error: unknown): Extract<SourceSearch, { type: 'failed' }> =>
  failed(
    reference,
    'text_unread',
    messageFor('failure.textUnread', { reason: toText(error) }),
    messageFor('remedy.putBackThenRetry'),
  );

const failed = (
  { cell, parameter }: Pick<ShotReference, 'cell' | 'parameter'>,
  code: string,
  problem: Message,
  remedy: Message,
): Extract<SourceSearch, { type: 'failed' }> => ({
  type: 'failed',
  what: `${cell} (${parameter})`,
  trouble: { code, message: problem, remedy },
});

export interface UsedFile {
  readonly cell: string;
  readonly path: string;
  readonly sha256: string | undefined;
}

export const goneFile = (error: LocalFileError): Extract<SourceSearch, { type: 'failed' }> => ({
  type: 'failed',
  what: messageFor('failure.fileOfOtherTake'),
  trouble: troubleOfError(error),
});

interface Completed {
  readonly spec: ShotSpec;
  readonly files: readonly UsedFile[];
}

/** A job's shot as it is sent. Throws LocalFileError when a file that was found for it is gone. */
function completed(context: StepContext, job: Job, spec: ShotSpec): Completed {
  const project = projectFor(context, job).path;
  const files: UsedFile[] = [];
  const replacements: Replacement[] = [];
  for (const { takeId, parameter, cell, output: number, frame, sha256, text } of context.sources.of(job.id)) {
    if (parameter === undefined || cell === undefined) continue;
    if (text !== undefined) {
      replacements.push({ parameter, cell, by: text });
      continue;
    }
    const output = ownOutputs(context, job, takeId).find((file) => file.number === number);
    if (!output) throw fileGone(cell);
    const path = toPath(
      frame === undefined ? placeIn(project, output.file) : framePlace(project, output.sha256, frame),
    );
    files.push({ cell, path, sha256 });
    replacements.push({ parameter, cell, by: path });
  }
  const pressed = pressedButton(context, job, spec);
  if (pressed && 'by' in pressed) replacements.push(pressed);
  return { spec: withReplacements(spec, replacements), files };
}

/** A chosen frame whose picture is not here, on another machine or since it was removed, and cannot be made again. */
export async function unreadFrame(
  context: StepContext,
  job: Job,
): Promise<Extract<SourceSearch, { type: 'undecoded' }> | null> {
  const { path } = projectFor(context, job);
  for (const { takeId, cell = '', output: number, frame } of context.sources.of(job.id)) {
    const output = frame === undefined ? null : ownOutputs(context, job, takeId).find((file) => file.number === number);
    if (frame === undefined || !output || (await look(framePlace(path, output.sha256, frame)))) continue;
    const made = await context.frames.frameOf(path, output, { at: 'frame', number: frame });
    if (made.type === 'no_decoder') return { type: 'undecoded', cell };
  }
  return null;
}

/** The frames that rows wait for because nothing here can read them, each once. */
export function wantedFrames(context: StepContext): WantedFrame[] {
  const wanted = new Map<string, WantedFrame>();
  const want = (takeId: string, number: number, frame: string): void => {
    const film = context.outputs.outputs(takeId).find((output) => output.number === number);
    wanted.set(JSON.stringify([takeId, number, frame]), { takeId, number, frame, frames: film?.facts?.frames });
  };
  for (const job of context.jobs.withoutFrame()) {
    for (const { takeId, output = 1, frame } of context.sources.of(job.id))
      if (frame !== undefined) want(takeId, output, `${frame}f`);
    for (const { name } of shotsToFind(context, job, rowFor(context, job).spec)) {
      const shot = shotOfName(context, job, name);
      const best = shot?.frame ? context.sources.resultsOf(shot.batchId, shot.key).best : null;
      if (!shot?.frame || !best) continue;
      want(best.takeId, shot.output, frameName(filmFrame(context, best.takeId, shot.output, shot.frame)));
    }
  }
  return [...wanted.values()].slice(0, MAX_WANTED);
}

const MAX_WANTED = 200;

/** The shots, as they were sent, of those of these files that are files of takes, with absolute paths: known by their hash. */
export async function shotsOfFiles(
  context: StepContext,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ShotSpec>> {
  const sizes = new Map<string, number>();
  // What cannot be read is a defect of its row.
  for (const path of paths) sizes.set(path, (await stampFor(path).catch(() => null))?.bytes ?? 0);
  const jobsOf = context.outputs.ofSizes([...new Set(sizes.values())]);
  const shots = new Map<string, ShotSpec>();
  for (const [path, bytes] of sizes) {
    const jobId = jobsOf.get(bytes)?.get(await contentFor(path).catch(() => ''));
    const job = jobId === undefined ? null : context.jobs.get(jobId);
    if (job) shots.set(path, sentShot(context, job));
  }
  return shots;
}

/** As it was sent; as its row had it where a file it names is gone. */
function sentShot(context: StepContext, job: Job): ShotSpec {
  const row = rowFor(context, job);
  const spec = sentSpec(context, job, row.spec);
  const local = rulesFor(spec.kind)
    .mediaOf(spec.params)
    .flatMap(({ column: parameter, cell }) => {
      const reference = readMediaReference(cell);
      return reference.at === 'local' ? [{ parameter, cell, by: localPath(reference.path, row.listFolder) }] : [];
    });
  return withReplacements(spec, local);
}

function sentSpec(context: StepContext, job: Job, spec: ShotSpec): ShotSpec {
  try {
    return completed(context, job, spec).spec;
  } catch (error) {
    if (error instanceof LocalFileError) return spec;
    throw error;
  }
}

const fileGone = (cell: string): LocalFileError =>
  new LocalFileError(
    'file_gone',
    messageFor('failure.namedFileGone', { cell }),
    messageFor('remedy.restoreFileOrNewTake'),
  );

/** The files of a take, if it belongs to the job's own project: a recipe from elsewhere may name any take. */
function ownOutputs({ jobs, outputs }: StepContext, { projectId }: Job, takeId: string): Output[] {
  return jobs.get(takeId)?.projectId === projectId ? outputs.outputs(takeId) : [];
}
