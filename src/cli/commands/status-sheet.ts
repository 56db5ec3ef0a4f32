import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { t } from '../../contract/messages/words.ts';
import { readListFile } from '../../engine/batches/list-file.ts';
import { listWithStatus } from '../../server/reports/status-sheet.ts';
import { refused } from '../exit.ts';
import { viewDataFolder, wantedScopes, type Wanted } from '../look.ts';
import { printOne } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { newFile } from './prompts.ts';

interface StatusSheetWanted extends Wanted {
  readonly list: string;
  readonly out: string;
  readonly sheet?: string;
  readonly encoding?: string;
}

/** Saves a person's list with the status of its shots. Its batch has the name that `run` gives it, or another. */
export async function saveStatusSheet(session: Session, wanted: StatusSheetWanted): Promise<void> {
  const { list, out, sheet, encoding } = wanted;
  const { shell, dataFolder } = session;
  const from = resolve(shell.cwd, list);
  const { name, bytes } = await readListFile(from);
  const ending = extname(name).toLowerCase();
  if (extname(out).toLowerCase() !== ending) throw refused('cli.statusEnding', { ending });
  const isOver = await isSameFile(from, resolve(shell.cwd, out));
  const to = isOver ? from : newFile(shell.cwd, out);
  const batch = wanted.batch ?? basename(name, extname(name));
  const marked = await viewDataFolder(dataFolder, (view) => {
    const [scope, ...others] = wantedScopes(view, { ...wanted, batch }, session);
    if (!scope?.batchId) throw refused('cli.unknownBatch', { batch });
    if (others.length > 0) throw refused('cli.statusSeveral', { batch, count: others.length + 1 });
    return listWithStatus(view, scope.batchId, { name, bytes, options: { sheet, encoding } });
  });
  if (isOver && !marked.hadStatus) throw refused('cli.statusOverList', { name: out });
  await (isOver ? replaceList(to, marked.bytes) : writeFile(to, marked.bytes, { flag: 'wx' }));
  const { rows, found } = marked;
  const line = t('cli.statusWritten', { file: plainText(out), rows, found });
  printOne(session, { type: 'status_list', file: to, batch, rows, found }, line);
}

const isSameFile = async (one: string, other: string): Promise<boolean> =>
  one === other || (await realpath(one)) === (await realpath(other).catch(() => null));

/** Whole or not at all: it is the only copy of what the person wrote. */
async function replaceList(path: string, bytes: Uint8Array): Promise<void> {
  const beside = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, bytes, { flag: 'wx' });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
