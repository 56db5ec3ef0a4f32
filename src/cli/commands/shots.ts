import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { allKinds } from '../../contract/kinds/all.ts';
import { t } from '../../contract/messages/words.ts';
import { toText } from '../../engine/base/errors.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { findMedia, rowsFromMedia } from '../../engine/batches/shots-from-media.ts';
import { refused } from '../exit.ts';
import { plainText } from '../output/text.ts';
import { verb, word } from '../verb.ts';
import { newFile } from './prompts.ts';

const FROM_MEDIA = [
  word('<MEDIA...>', 'cli.argMedia'),
  word('--out <file>', 'cli.optMediaOut', { required: true }),
  word('--kind <kind>', 'cli.optMediaKind', { choices: allKinds.map(({ kind }) => kind) }),
  word('--model <id>', 'cli.optMediaModel'),
  word('--prompt <text>', 'cli.optMediaPrompt'),
  word('--pairs', 'cli.optMediaPairs'),
] as const;

/** Names of files left out that are printed; more would hide the first ones. */
const NAMES_SHOWN = 10;

export const verbs = [
  verb('shots from-media', 'cli.helpShotsFromMedia', FROM_MEDIA, async (session, { media, out: name, ...options }) => {
    const { print, complain, line, shell } = session;
    const out = newFile(shell.cwd, name);
    const paths = media.map((path) => resolve(shell.cwd, path));
    const { files, leftOut } = await findMedia(paths, dirname(out)).catch((error: unknown) => {
      throw refused('cli.mediaUnreadable', { path: media.join(', '), reason: toText(error) });
    });
    if (files.length === 0) throw refused('failure.noMedia');
    const { headers, rows } = rowsFromMedia(files, options);
    await writeFile(out, csvText(headers, rows), { flag: 'wx' });
    if (leftOut.length > 0) {
      const names = leftOut.slice(0, NAMES_SHOWN).map(plainText).join(', ');
      complain(
        t('cli.mediaLeftOut', { count: leftOut.length, files: leftOut.length > NAMES_SHOWN ? `${names}, …` : names }),
      );
    }
    const command = line('run', name, '--project', 'DIR', '--dry-run');
    print(t('cli.shotsFromMedia', { count: rows.length, file: plainText(name), command }));
  }),
];
