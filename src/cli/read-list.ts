import { t, type MessageKey } from '../contract/messages/words.ts';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { TakeOrder } from '../contract/batch.ts';
import { MAX_NAME } from '../contract/units.ts';
import { allKinds } from '../contract/kinds/all.ts';
import { readTable, type Table } from '../engine/batches/read-table.ts';
import { checkList, type CheckedTable, type CheckOptions } from '../engine/batches/validate.ts';
import { systemCode, toText } from '../engine/base/errors.ts';
import { refused, UsageError } from './exit.ts';
import type { Session } from './session.ts';
import { amount, count, JSON_LINES, word, type Given } from './verb.ts';
import { WINDOW } from './options.ts';
import { wholeInput, type Input } from './shell.ts';

export const RUN = [
  // Its path, or `-` for standard input.
  word('<LIST>', 'cli.argList'),
  word('--project <dir>', 'cli.optRunProject', { required: true }),
  word('--batch <name>', 'cli.optRunBatch'),
  word('--kind <kind>', 'cli.optRunKind', { choices: allKinds.map(({ kind }) => kind) }),
  // The batch keeps shots that the list no longer has.
  word('--merge', 'cli.optRunMerge'),
  word('--again', 'cli.optRunAgain'),
  word('--sheet <name>', 'cli.optSheet'),
  word('--encoding <name>', 'cli.optEncoding'),
  // Outside files, or folders of them, that the person has agreed to send.
  word('--allow-file <path>', 'cli.optAllowFile', { several: true }),
  word('--max-spend <amount>', 'cli.optCapSpend', { parse: amount }),
  word('--max-takes <n>', 'cli.optCapTakes', { parse: count }),
  ...WINDOW,
  // Only in the project's night window, whatever is started early.
  word('--tonight', 'cli.optTonight'),
  word('--order <order>', 'cli.optOrder', { choices: TakeOrder.options }),
  // Its takes go to the studio; `--wait` follows them to their end.
  word('--studio', 'cli.optStudio', { conflicts: ['tonight', 'dryRun', 'window'] }),
  word('--root <name=dir>', 'cli.optWorkerRoot', { several: true }),
  word('--wait', 'cli.optStudioWait'),
  word('--dry-run', 'cli.optTrashDryRun'),
  word('--offline', 'cli.optOffline'),
  JSON_LINES,
] as const;
export type RunOptions = Given<typeof RUN>;
type ListOptions = Pick<RunOptions, 'list' | 'kind' | 'sheet' | 'encoding'>;

export interface ReadList {
  readonly table: Table;
  readonly checked: CheckedTable;
  /** Absolute. Local paths in cells are relative to it. */
  readonly listFolder: string;
  readonly source: string;
  readonly batchName: string;
}

/** Reads and checks a shot list. Throws UsageError when there is no list to read; problems in the list are defects. */
export async function readList(
  { shell }: Session,
  options: ListOptions,
  rules: Pick<CheckOptions, 'settings' | 'accountModels' | 'variables'> & {
    readonly batches?: (own: string) => CheckOptions['batches'];
  },
): Promise<ReadList> {
  const { list, kind, sheet, encoding } = options;
  const path = list === '-' ? null : resolve(shell.cwd, list);
  const bytes = path === null ? await givenInput(shell.stdin) : await wholeFile(path);
  const source = path === null ? t('cli.standardInput') : basename(path);
  const listFolder = path === null ? shell.cwd : dirname(path);
  const table = await readTable({ bytes, name: source }, { sheet, encoding });
  const batchName = path === null ? 'batch' : basename(path, extname(path)).slice(0, MAX_NAME).toWellFormed();
  const batches = rules.batches?.(batchName);
  const checked = await checkList(table, { ...rules, listFolder, kind, batches });
  return { table, checked, listFolder, source, batchName };
}

const whyUnreadable: Readonly<Record<string, `cli.unreadable${string}` & MessageKey>> = {
  ENOENT: 'cli.unreadableMissing',
  ERR_FS_FILE_TOO_LARGE: 'cli.unreadableTooLarge',
};

export async function wholeFile(path: string, isScript = false): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const known = whyUnreadable[systemCode(error) ?? ''];
    const reason = known === undefined ? toText(error) : t(known);
    const problem = t('cli.fileUnreadable', { what: isScript ? 'script' : 'list', path, reason });
    throw new UsageError(problem, t(isScript ? 'cli.nameTextFile' : 'cli.listUnreadableRemedy'), { cause: error });
  }
}

/** A list larger than this is refused anyway, bytes. */
const MAX_INPUT = 256 * 1000 ** 2;

function givenInput(stdin: Input): Promise<Uint8Array> {
  if (stdin.isTTY) throw refused('cli.noInput');
  return wholeInput(stdin, MAX_INPUT, refused('cli.inputTooLarge'));
}
