import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { foldHeader, kindLabel, kindNamed } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { say, sayText } from '../../contract/messages/words.ts';
import { presetColumns, PresetFields } from '../../contract/presets.ts';
import { planColumns, type Column } from '../../engine/batches/columns.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { readTable, type Table } from '../../engine/batches/read-table.ts';
import { allKinds } from '../../contract/kinds/all.ts';
import { withQuietEngine } from '../connect.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { lookInLibrary, noPreset, presetsCalled } from '../named.ts';
import { printList, printLine } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { wholeFile } from '../read-list.ts';
import { type Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';
import { newFile, rowName } from './prompts.ts';
import { tableVerbs } from './table.ts';

const KIND = word('--kind <kind>', 'cli.optPresetKind', { choices: allKinds.map(({ kind }) => kind) });
const SHEET = word('--sheet <name>', 'cli.optSheet');
const OF_LIBRARY = word('--project <dir>', 'cli.optLibraryProject');

const LIST = [OF_LIBRARY, JSON_LINES] as const;
const SAVE = [
  word('<NAME>', 'cli.argPreset'),
  word('--kind <kind>', 'cli.optPresetKind', { choices: allKinds.map(({ kind }) => kind), required: true }),
  word('--set <settings...>', 'cli.optPresetSet'),
  word('--from <list>', 'cli.optPresetFrom'),
  word('--row <key>', 'cli.optPresetRow'),
  SHEET,
  word('--project <dir>', 'cli.optPresetProject'),
] as const;
const APPLY = [
  word('<PRESET>', 'cli.argPreset'),
  word('<LIST>', 'cli.argShotList'),
  KIND,
  word('--rows <keys>', 'cli.optRows'),
  SHEET,
  word('--out <file>', 'cli.optPromptsOut', { required: true }),
  OF_LIBRARY,
] as const;

const own = [
  verb('presets list', 'cli.helpPresetsList', LIST, listPresets),
  verb('presets save', 'cli.helpPresetsSave', SAVE, savePreset),
  verb('presets apply', 'cli.helpPresetsApply', APPLY, applyPreset),
];
export const verbs = [...own, ...tableVerbs('presets', own)];

function listPresets(session: Session, options: Given<typeof LIST>): ExitStatus {
  return printList(session, options.json, {
    type: 'preset',
    rows: lookInLibrary(session, options, ({ presets }, projectId) => presets.list(projectId)),
    object: (preset) => preset,
    cells({ name, kind, cells, projectId }) {
      const facts = { name: plainText(name), kind: sayText(kindLabel(kind)), settings: settingsInWords(cells) };
      return [projectId === null ? say('cli.presetOfAll', facts) : say('cli.preset', facts)];
    },
    none: say('cli.noPresets'),
  });
}

async function savePreset(session: Session, options: Given<typeof SAVE>): Promise<ExitStatus> {
  const { name, kind, set, from, row } = options;
  if ((set === undefined) === (from === undefined) || (from === undefined) !== (row === undefined)) {
    throw new UsageError(say('cli.whichSettings'), say('cli.whichSettingsRemedy'));
  }
  const cells = set ? settingsGiven(set, kind) : await settingsOfRow(session, options);
  const projectId = lookInLibrary(session, options, (_view, id) => id);
  const fields = PresetFields.safeParse({ projectId, kind, name, cells });
  if (!fields.success) throw new UsageError(say('cli.badPreset'), say('cli.badPresetRemedy'));
  await withQuietEngine(session, 'dailies presets', ({ api }) => api.promptLibrary.savePreset(fields.data));
  return printLine(session, say('cli.presetSaved', { name: plainText(name), settings: settingsInWords(cells) }));
}

/** Gives rows of a list the settings of a preset, as a new list. The list itself does not change. */
async function applyPreset(session: Session, options: Given<typeof APPLY>): Promise<ExitStatus> {
  const { list, sheet, rows: keys } = options;
  const out = newFile(session.shell.cwd, options.out);
  const [preset] = presetsCalled(session, options.preset, options);
  if (!preset) throw noPreset(options.preset);
  const { kind, cells, name } = preset;
  const { table, columns } = await listAt(session, list, sheet);
  const chosen =
    keys === undefined ? rowsOf(table) : keys.split(',').map((key) => rowCalled(table, columns, key.trim()));
  const fitting = chosen.filter((row) => isOfKind(table, columns, row, kind));

  const headers = [...table.headers];
  const rows = table.rows.map((row) => headers.map((_, index) => row[index] ?? ''));
  for (const [setting, value] of Object.entries(cells)) {
    const known = columns.find((column) => nameOf(column, kind) === setting);
    const place = known?.index ?? headers.push(setting) - 1;
    if (known === undefined) for (const row of rows) row.push('');
    for (const row of fitting) {
      const cellsOfRow = rows[row];
      if (cellsOfRow) cellsOfRow[place] = value;
    }
  }
  await writeFile(out, csvText(headers, rows), { flag: 'wx' });
  const others = chosen.length - fitting.length;
  return printLine(
    session,
    say('cli.presetApplied', { name: plainText(name), count: fitting.length, others, file: options.out }),
  );
}

function settingsGiven(set: readonly string[], kind: Kind): Record<string, string> {
  const known = presetColumns(kind);
  const settings = set.map((text) => {
    const [header = ''] = text.split('=', 1);
    const wanted = foldHeader(header);
    const column = known.find(({ name, aliases }) => [name, ...aliases].some((each) => foldHeader(each) === wanted));
    const value = text.slice(header.length + 1).trim();
    if (column && value !== '') return [column.name, value] as const;
    const names = known.map(({ name }) => name).join(', ');
    throw new UsageError(say('cli.noSetting', { setting: shortText(text, 80) }), say('cli.noSettingRemedy', { names }));
  });
  return Object.fromEntries(settings);
}

async function settingsOfRow(session: Session, { from = '', row: key = '', sheet, kind }: Given<typeof SAVE>) {
  const { table, columns } = await listAt(session, from, sheet);
  const row = rowCalled(table, columns, key);
  if (!isOfKind(table, columns, row, kind)) {
    throw new UsageError(say('cli.rowOfOtherKind', { row: plainText(key) }), say('cli.rowOfOtherKindRemedy'));
  }
  const known = new Set(presetColumns(kind).map(({ name }) => name));
  const settings = columns.flatMap((column) => {
    const name = nameOf(column, kind);
    const text = (table.rows[row]?.[column.index] ?? '').trim();
    return name !== null && known.has(name) && text !== '' ? [[name, text] as const] : [];
  });
  return Object.fromEntries(settings);
}

async function listAt(session: Session, list: string, sheet: string | undefined) {
  const bytes = await wholeFile(resolve(session.shell.cwd, list));
  const table = await readTable({ bytes, name: basename(list) }, { sheet });
  const { columns, defects } = planColumns(table);
  const broken = [...table.defects, ...defects].find(({ severity }) => severity === 'error');
  if (!broken) return { table, columns };
  throw new UsageError(say('cli.listProblem', { list: basename(list), problem: broken.problem }), broken.remedy);
}

/** Name of the parameter that a column is in rows of a kind; null for one that is not sent. */
function nameOf({ meaning }: Column, kind: Kind): string | null {
  if (meaning.is === 'shared') return meaning.column.name;
  return meaning.is === 'parameter' ? (meaning.byKind.get(kind)?.name ?? null) : null;
}

const placeOf = (columns: readonly Column[], name: string): number | null =>
  columns.find(({ meaning }) => meaning.is === 'shared' && meaning.column.name === name)?.index ?? null;

const rowsOf = ({ rows }: Table): number[] =>
  rows.flatMap((row, index) => (row.some((cell) => cell.trim() !== '') ? [index] : []));

function rowCalled(table: Table, columns: readonly Column[], wanted: string): number {
  const key = placeOf(columns, 'shot');
  const found = rowsOf(table).find((row) => rowName(table, { key }, row) === wanted);
  if (found !== undefined) return found;
  throw new UsageError(say('cli.noRowCalled', { key: plainText(wanted) }), say('cli.noRowWithKeyRemedy'));
}

function isOfKind({ rows }: Table, columns: readonly Column[], row: number, kind: Kind): boolean {
  const place = placeOf(columns, 'kind');
  const text = place === null ? '' : (rows[row]?.[place] ?? '').trim();
  return text === '' || kindNamed(text) === kind;
}

const settingsInWords = (cells: Readonly<Record<string, string>>): string =>
  Object.entries(cells)
    .map(([column, text]) => `${plainText(column)} ${shortText(text, 60)}`)
    .join(', ');
