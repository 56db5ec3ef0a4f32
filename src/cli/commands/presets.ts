import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { foldHeader, kindLabel, kindNamed } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { say, sayText } from '../../contract/messages/words.ts';
import { Preset, presetColumns, PresetFields } from '../../contract/presets.ts';
import { planColumns, type Column } from '../../engine/batches/columns.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { readTable, type Table } from '../../engine/batches/read-table.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText, shortText } from '../output/text.ts';
import { wholeFile } from '../read-list.ts';
import { printTo, type Session } from '../session.ts';
import { lookInLibrary, type OfProject } from './prompt-library.ts';
import { newFile, rowName } from './prompts.ts';

interface OfPreset extends OfProject {
  readonly preset: string;
  /** Needed where presets of several kinds have the name. */
  readonly kind?: Kind;
}

/** Lists the presets that rows of a project may use, or those of every project. */
export function listPresets(session: Session, options: OfProject): ExitStatus {
  const presets = lookInLibrary(session, options, (view, projectId) => view?.presets.list(projectId) ?? []);
  if (options.json) {
    for (const preset of presets) session.shell.stdout.write(jsonLine({ type: 'preset', ...preset }));
    return exitStatus.saved;
  }
  const print = printTo(session);
  if (presets.length === 0) print(say('cli.noPresets'));
  for (const { name, kind, cells, projectId } of presets) {
    const facts = { name: plainText(name), kind: sayText(kindLabel(kind)), settings: settingsInWords(cells) };
    print(projectId === null ? say('cli.presetOfAll', facts) : say('cli.preset', facts));
  }
  return exitStatus.saved;
}

export interface SavePreset extends OfProject {
  readonly name: string;
  readonly kind: Kind;
  /** `column=value` for each setting. */
  readonly set?: readonly string[];
  /** A list, the settings of whose row are saved. */
  readonly from?: string;
  readonly row?: string;
  readonly sheet?: string;
}

/** Saves settings under a name: those that are given, or those of a row of a list. */
export async function savePreset(session: Session, options: SavePreset): Promise<ExitStatus> {
  const { name, kind, set, from, row } = options;
  if ((set === undefined) === (from === undefined) || (from === undefined) !== (row === undefined)) {
    throw new UsageError(say('cli.whichSettings'), say('cli.whichSettingsRemedy'));
  }
  const cells = set ? settingsGiven(set, kind) : await settingsOfRow(session, options);
  const projectId = lookInLibrary(session, options, (_view, id) => id);
  const fields = PresetFields.safeParse({ projectId, kind, name, cells });
  if (!fields.success) throw new UsageError(say('cli.badPreset'), say('cli.badPresetRemedy'));
  await withQuietEngine(session, 'dailies presets', ({ api }) => api.promptLibrary.savePreset(fields.data));
  printTo(session)(say('cli.presetSaved', { name: plainText(name), settings: settingsInWords(cells) }));
  return exitStatus.saved;
}

export async function renamePreset(
  session: Session,
  options: OfPreset & { readonly name: string },
): Promise<ExitStatus> {
  const { id, name: before } = ownPreset(session, options);
  const name = Preset.shape.name.safeParse(options.name);
  if (!name.success) throw new UsageError(say('cli.badPreset'), say('cli.badPresetRemedy'));
  await withQuietEngine(session, 'dailies presets', ({ api }) =>
    api.promptLibrary.renamePreset({ id, name: name.data }),
  );
  printTo(session)(say('cli.viewRenamed', { before: plainText(before), name: plainText(name.data) }));
  return exitStatus.saved;
}

export async function removePreset(session: Session, options: OfPreset): Promise<ExitStatus> {
  const { id, name } = ownPreset(session, options);
  await withQuietEngine(session, 'dailies presets', ({ api }) => api.promptLibrary.removePreset({ id }));
  printTo(session)(say('list.presetRemoved', { name: plainText(name) }));
  return exitStatus.saved;
}

export interface ApplyPreset extends OfPreset {
  readonly list: string;
  readonly out: string;
  readonly rows?: string;
  readonly sheet?: string;
}

/** Gives rows of a list the settings of a preset, as a new list. The list itself does not change. */
export async function applyPreset(session: Session, options: ApplyPreset): Promise<ExitStatus> {
  const { list, sheet, rows: keys } = options;
  const out = newFile(session.shell.cwd, options.out);
  const [preset] = presetsCalled(session, options);
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
  printTo(session)(
    say('cli.presetApplied', { name: plainText(name), count: fitting.length, others, file: options.out }),
  );
  return exitStatus.saved;
}

/** `column=value`, with a header that the kind has for a setting. */
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

async function settingsOfRow(session: Session, { from = '', row: key = '', sheet, kind }: SavePreset) {
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

/** A row that says no kind may be of any. */
function isOfKind({ rows }: Table, columns: readonly Column[], row: number, kind: Kind): boolean {
  const place = placeOf(columns, 'kind');
  const text = place === null ? '' : (rows[row]?.[place] ?? '').trim();
  return text === '' || kindNamed(text) === kind;
}

/** Those of the project go before those of every project. Throws UsageError when they are of several kinds. */
function presetsCalled(session: Session, options: OfPreset): Preset[] {
  const { preset: name, kind } = options;
  const named = lookInLibrary(session, options, (view, projectId) => view?.presets.list(projectId) ?? [])
    .filter((each) => each.name === name && (kind === undefined || each.kind === kind))
    .sort((one, other) => Number(one.projectId === null) - Number(other.projectId === null));
  if (new Set(named.map((each) => each.kind)).size <= 1) return named;
  throw new UsageError(say('cli.severalPresets', { name: plainText(name) }), say('cli.severalPresetsRemedy'));
}

/** The preset of the project, or without one that of every project. */
function ownPreset(session: Session, options: OfPreset): Preset {
  const isOfAll = options.project === undefined;
  const own = presetsCalled(session, options).find(({ projectId }) => (projectId === null) === isOfAll);
  if (own) return own;
  throw noPreset(options.preset);
}

const noPreset = (name: string): UsageError =>
  new UsageError(say('cli.noPreset', { name: plainText(name) }), say('cli.noPresetRemedy'));

const settingsInWords = (cells: Readonly<Record<string, string>>): string =>
  Object.entries(cells)
    .map(([column, text]) => `${plainText(column)} ${shortText(text, 60)}`)
    .join(', ');
