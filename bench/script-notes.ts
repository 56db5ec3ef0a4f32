import { textForLog } from '../src/contract/messages/message.ts';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { link, open, rename, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inspectFile } from '../src/engine/downloads/verify.ts';

/** What a script writes down of its takes. */
export interface Notes {
  write(name: string, note: object): Promise<void>;
  /** Keeps a result under its name. Returns its sha256, where that is taken. */
  keep(content: Readable, path: string): Promise<string | null>;
}

export const noNotes = (_folder: string): Notes => ({
  write: () => Promise.resolve(),
  async keep(content, path) {
    await pipeline(content, createWriteStream(path));
    return null;
  },
});

/**
 * A journal that is synced at each step, a recipe of each take, and results that are checked, hashed, synced and never
 * put over another file: as often to the disk as ours, by bare calls of Node. No database, and no care for links.
 */
export async function carefulNotes(folder: string): Promise<Notes> {
  const recipes = join(folder, '.recipes');
  mkdirSync(recipes);
  const journal = await open(join(folder, 'journal.ndjson'), 'a');
  return {
    async write(name, note) {
      await statfs(folder);
      const recipe = join(recipes, `${name}.json`);
      await writeSynced(`${recipe}.tmp`, JSON.stringify(note, null, 2));
      await rename(`${recipe}.tmp`, recipe);
      if (!('task' in note) || 'sha256' in note) await syncFolder(recipes);
      await journal.appendFile(`${JSON.stringify({ name, ...note })}\n`);
      await journal.datasync();
    },
    async keep(content, path) {
      await statfs(folder);
      const part = `${path}.part`;
      const handle = await open(part, 'wx+');
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of content as AsyncIterable<Buffer>) {
        hash.update(chunk);
        await handle.write(chunk);
        bytes += chunk.length;
      }
      await handle.datasync();
      const found = await inspectFile({ handle, bytes });
      await handle.close();
      if ('problem' in found) throw new Error(textForLog(found.problem));
      await link(part, path);
      await unlink(part);
      await syncFolder(folder);
      return hash.digest('hex');
    },
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx');
  await handle.writeFile(text);
  await handle.datasync();
  await handle.close();
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
}
