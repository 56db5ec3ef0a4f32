import { mkdir, open, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Stores } from '../db/stores.ts';
import { systemCode } from '../base/errors.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { Cut } from '../../contract/cut.ts';
import type { KitFormat, KitOptions } from '../../contract/kit.ts';
import { safeName } from '../downloads/take-path.ts';
import { requireRoom } from '../files/existing-paths.ts';
import { placeIn, toPath, type Place } from '../files/place.ts';
import { lookAtFolder, makeProjectFolder, moveProjectFolder, openFile } from '../files/project-files.ts';
import { exportFailed, exportTo, type CopiedSoFar, type ExportedProject } from '../projects/export-project.ts';
import { projectFor } from '../projects/overview.ts';
import { cutCalled, timelineOf } from '../review/cuts.ts';
import { soundsIn } from '../review/cut-sounds.ts';
import { beginCopy, fillCopy } from '../review/export-takes.ts';
import { edl, markerEdl } from './edl.ts';
import { fcpxml } from './fcpxml.ts';
import { toKit, type Kit, type KitFile, type KitPlace } from './kit.ts';
import { ale, selects } from './lists.ts';
import { otio } from './otio.ts';
import { drawSlate } from './slate.ts';
import { xmeml } from './xmeml.ts';

type ReadFrom = Pick<Stores, 'batches' | 'cuts' | 'outputs' | 'projects' | 'review'>;

/** Pages for people, which say in their language what the files are: name and content. */
export type KitPages = (kit: Kit, formats: readonly KitFormat[]) => Promise<Readonly<Record<string, string>>>;

/** Each format as its files: names, and what writes them. */
type Write = (kit: Kit, place: KitPlace) => string;
const WRITERS: Readonly<Record<Exclude<KitFormat, 'otioz'>, Readonly<Record<string, Write>>>> = {
  otio: { 'cut.otio': otio },
  fcpxml: { 'cut.fcpxml': fcpxml },
  xmeml: { 'cut.xml': xmeml },
  edl: { 'cut.edl': edl, 'markers.edl': markerEdl },
  ale: { 'takes.ale': ale },
};

interface WantedFolder extends Pick<KitOptions, 'ascii' | 'link'> {
  readonly projectId: string;
  readonly cut: Cut;
  /** Absolute. It gets its name when all is in it; an empty folder may be there. */
  readonly folder: string;
  /** `folder` gets a folder of this name. */
  readonly named?: string | undefined;
  /** The media are written once more, into an archive. */
  readonly zipped?: boolean;
}

interface WantedKit extends KitOptions, Pick<WantedFolder, 'projectId' | 'folder'> {
  readonly name: string;
  /** `folder` gets a folder for the kit, by the name of the cut. */
  readonly named?: boolean;
}

/** Writes a cut with its files into a new folder for an editor. See `exportCut`. */
export async function* exportKit(
  stores: ReadFrom,
  { name, named = false, formats, ...wanted }: WantedKit,
  pages: KitPages,
): ReturnType<typeof exportCut> {
  const { cut } = cutCalled(stores, wanted.projectId, name);
  const zipped = formats.includes('otioz');
  const texts = async (kit: Kit, place: KitPlace) => {
    const written = formats.flatMap((each) => (each === 'otioz' ? [] : Object.entries(WRITERS[each])));
    const writers: Readonly<Record<string, Write>> = { ...Object.fromEntries(written), 'selects.csv': selects };
    return {
      ...Object.fromEntries(Object.entries(writers).map(([file, write]) => [file, write(kit, place)])),
      ...(await pages(kit, formats)),
    };
  };
  return yield* exportCut(stores, { ...wanted, cut, zipped, ...(named && { named: name }) }, texts);
}

/**
 * Writes the files of a cut into a new folder, and the texts made of it beside them. Yields its progress; a caller that
 * stops reading stops it. What fails leaves nothing. Throws RefusedError.
 */
export async function* exportCut(
  stores: ReadFrom,
  { projectId, cut, folder, named, ascii, link, zipped = false }: WantedFolder,
  textsFor: (kit: Kit, place: KitPlace) => Promise<Readonly<Record<string, string>>>,
): AsyncGenerator<CopiedSoFar, ExportedProject, undefined> {
  const target = named === undefined ? resolve(folder) : await freeFolder(folder, named);
  const { path } = projectFor(stores.projects, projectId);
  const kit = toKit(await timelineOf(stores, projectId, cut), { ascii });
  const places = await placesOf(stores, path, kit);
  // Only an empty folder is removed.
  await rmdir(target).catch(() => undefined);
  try {
    return yield* exportTo(target, path, moveProjectFolder, async function* (partial) {
      await makeProjectFolder(partial);
      const files = yield* copyMedia(kit, places, partial, { link, zipped });
      const texts = Object.entries(await textsFor(kit, { folder: target, platform: process.platform }));
      for (const [file, text] of texts) await writeFile(join(partial, file), text, { flag: 'wx' });
      return files + texts.length;
    });
  } catch (error) {
    throw exportFailed(error, (reason) => messageFor('failure.kitFailed', { reason }));
  }
}

async function freeFolder(folder: string, name: string): Promise<string> {
  const stem = safeName(name, 'cut');
  for (let attempt = 1; ; attempt += 1) {
    const path = join(folder, attempt === 1 ? stem : `${stem}_${attempt}`);
    if ((await lookAtFolder(path)) === null) return path;
  }
}

/** Where each file of a kit is in its project. */
async function placesOf({ outputs }: ReadFrom, path: string, { files }: Kit): Promise<ReadonlyMap<KitFile, Place>> {
  const places = new Map<KitFile, Place>();
  const sounds = files.some(({ source }) => 'music' in source) ? await soundsIn(path) : new Map();
  for (const file of files) {
    const { source } = file;
    if ('slate' in source) continue;
    if ('music' in source) {
      const sound = sounds.get(source.music);
      if (sound) places.set(file, sound.place);
      continue;
    }
    const output = outputs.outputs(source.takeId).find(({ number }) => number === source.output);
    if (output) places.set(file, placeIn(path, output.file));
  }
  return places;
}

async function* copyMedia(
  { files, timeline, tracks }: Kit,
  places: ReadonlyMap<KitFile, Place>,
  partial: string,
  { link, zipped }: { readonly link: boolean; readonly zipped: boolean },
): AsyncGenerator<CopiedSoFar, number, undefined> {
  const media = join(partial, 'media');
  await mkdir(media);
  const soFar = { files: 0, ofFiles: files.length, bytes: 0, ofBytes: 0 };
  // Checked before the first is copied, so that a missing or foreign file is reported first.
  for (const place of places.values()) {
    const { handle, bytes } = await openFile(place, 'read');
    await handle.close();
    soFar.ofBytes += bytes;
  }
  const once = soFar.ofBytes;
  if (zipped) soFar.ofBytes += once;
  await requireRoom(partial, soFar.ofBytes - (link ? once : 0));
  for (const file of files) {
    const to = join(media, file.name);
    const place = places.get(file);
    if ('slate' in file.source) await writeFile(to, await drawSlate(file.source.slate, timeline), { flag: 'wx' });
    else if (place) {
      for await (const bytes of copyFile(place, to, link)) {
        soFar.bytes += bytes;
        yield { ...soFar };
      }
    }
    soFar.files += 1;
    yield { ...soFar };
  }
  if (!zipped) return files.length;
  for await (const bytes of zipMedia({ files, timeline, tracks }, partial)) {
    soFar.bytes = Math.min(soFar.ofBytes, soFar.bytes + bytes);
    yield { ...soFar };
  }
  return files.length + 1;
}

async function* copyFile(place: Place, to: string, link: boolean): AsyncGenerator<number, void, undefined> {
  const source = await openFile(place, 'read');
  await using _source = source.handle;
  if (link && (await isLinked(toPath(place), to))) {
    yield source.bytes;
    return;
  }
  const copy = await beginCopy(place, source, to);
  try {
    yield* fillCopy(copy, source);
  } finally {
    await copy?.close();
  }
}

/** A hard link would be a second name of the project's own file, which then counts as foreign. */
async function isLinked(path: string, to: string): Promise<boolean> {
  try {
    await symlink(path, to, 'file');
    return true;
  } catch (error) {
    // Windows gives the right to few, and some disks have no links: then it is copied.
    if (['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

/** OTIO and its media in one file, stored: yields what is written. */
async function* zipMedia(kit: Kit, partial: string): AsyncGenerator<number, void, undefined> {
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => void zip.once('error', reject));
  // The error is handled where the promise is awaited.
  failed.catch(() => undefined);
  zip.addBuffer(Buffer.from('1.0.0'), 'version.txt', { compress: false });
  zip.addBuffer(Buffer.from(otio(kit)), 'content.otio', { compress: false });
  for (const { name } of kit.files) zip.addFile(join(partial, 'media', name), `media/${name}`, { compress: false });
  zip.end();
  await using file = await open(join(partial, 'cut.otioz'), 'wx');
  const parts = (zip.outputStream as Readable)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([parts.next(), failed]);
    if (done === true) return;
    await file.writeFile(value as Buffer);
    yield (value as Buffer).length;
  }
}
