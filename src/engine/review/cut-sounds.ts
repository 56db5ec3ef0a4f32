import { createHash } from 'node:crypto';
import { constants, open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CutSound } from '../../contract/cut.ts';
import { formatNamed, formats, type OutputFormat } from '../../contract/formats.ts';
import { messageFor } from '../../contract/messages/message.ts';
import { MAX_NAME } from '../../contract/units.ts';
import { refused, toText, type RefusedError } from '../base/errors.ts';
import { sha256OfFile } from '../base/file-hash.ts';
import { inspectFile } from '../downloads/verify.ts';
import { realPath, requireRoom } from '../files/existing-paths.ts';
import { below, type Place } from '../files/place.ts';
import {
  isOwnFile,
  look,
  lookInFolder,
  makeFolder,
  openFile,
  removeFile,
  replaceFile,
} from '../files/project-files.ts';
import { ownFolders } from '../files/project-folder.ts';
import { factsOfOpen } from '../library/media-facts.ts';
import { partsOf } from '../projects/export-project.ts';

/** A sound file that was copied into a project, in `.dailies/music` under its hash. */
export interface Sound {
  readonly place: Place;
  readonly format: OutputFormat;
  readonly bytes: number;
}

const NAME = /^([0-9a-f]{64})\.(\w{2,4})$/;

/** The sound files of a project by their hashes. */
export async function soundsIn(project: string): Promise<ReadonlyMap<string, Sound>> {
  const { music } = ownFolders(project);
  const sounds = new Map<string, Sound>();
  const found = await lookInFolder(music).catch(() => null);
  for (const [name, entry] of found?.entries ?? []) {
    const [, sha256, extension = ''] = NAME.exec(name) ?? [];
    const format = formatNamed(extension);
    if (sha256 === undefined || format === null || formats[format].medium !== 'sound') continue;
    if (isOwnFile(entry)) sounds.set(sha256, { place: below(music, name), format, bytes: entry.size });
  }
  return sounds;
}

/** Copies a sound file (absolute path) into a project, once. Throws RefusedError for what is no whole sound. */
export async function addSound(project: string, path: string): Promise<CutSound> {
  const name = basename(path).slice(0, MAX_NAME);
  // Others may swap the file for a link or a pipe: neither is followed, nor waited for.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  await using file = await open(await realPath(path), flags).catch((error: unknown) => {
    throw noSound(name, toText(error));
  });
  const found = await file.stat();
  if (!found.isFile()) throw noSound(name, messageFor('failure.notAFile', { file: path }));
  const bytes = found.size;
  const inspected = await inspectFile({ handle: file, bytes });
  if ('problem' in inspected) throw noSound(name, inspected.problem);
  const { format } = inspected;
  if (formats[format].medium !== 'sound')
    throw noSound(name, messageFor('failure.notSound', { format: format.toUpperCase() }));
  const sha256 = await sha256OfFile(file.fd, bytes);
  const place = below(ownFolders(project).music, `${sha256}.${format}`);
  const there = await look(place).catch(() => null);
  if (there?.size !== bytes) {
    await requireRoom(project, bytes);
    await makeFolder(ownFolders(project).music);
    await copy(file, place, sha256, name);
  }
  const copied = await openFile(place, 'read');
  await using _copied = copied.handle;
  return { type: 'file', sha256, name, facts: await factsOfOpen(place, copied) };
}

async function copy(file: FileHandle, place: Place, sha256: string, name: string): Promise<void> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const part of partsOf(file)) {
      hash.update(part);
      yield part;
    }
  }
  await replaceFile(place, hashed());
  if (hash.digest('hex') === sha256) return;
  await removeFile(place);
  throw noSound(name, messageFor('failure.changedWhileRead'));
}

const noSound = (name: string, reason: RefusedError['text']): RefusedError =>
  refused('no_sound', messageFor('failure.noSound', { name, reason }), 'remedy.chooseSound');
