import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { LIST_ENDINGS } from '../../engine/batches/list-file.ts';

/** As many at once are an accident, or somebody's malice. */
const MOST_OPENED = 5;

type Wanted = Extract<DesktopEvent, { type: 'open' }>;

/**
 * What the paths that came from outside are, for the window to open: shot lists, and folders. One that is not a project is
 * named as such: it is not made one because somebody named it. Anything else is left alone.
 */
export async function wantedAmong(paths: readonly string[]): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const path of paths) {
    if (wanted.length === MOST_OPENED) break;
    const what = await wantedAt(path);
    if (what && !wanted.some((each) => each.path === what.path)) wanted.push(what);
  }
  return wanted;
}

async function wantedAt(path: string): Promise<Wanted | null> {
  if (path.includes('\0') || path.length > 4096) return null;
  const isProjectFile = basename(path) === 'project.json' && basename(dirname(path)) === '.dailies';
  const folder = isProjectFile ? dirname(dirname(path)) : path;
  if (await isFile(join(folder, '.dailies', 'project.json'))) return { type: 'open', what: 'project', path: folder };
  const facts = await factsOf(path);
  if (facts?.isDirectory()) return { type: 'open', what: 'folder', path };
  const isList = LIST_ENDINGS.includes(extname(path).toLowerCase()) && facts?.isFile();
  return isList ? { type: 'open', what: 'list', path } : null;
}

const factsOf = (path: string): Promise<Stats | null> => stat(path).catch(() => null);

const isFile = async (path: string): Promise<boolean> => (await factsOf(path))?.isFile() ?? false;
