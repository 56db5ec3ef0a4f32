import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  applyEdit,
  type DraftList,
  type NewPrompts,
  type PromptColumns,
  rewriteEdit,
} from '../../contract/draft-list.ts';
import { allKinds } from '../../contract/kinds/all.ts';
import { foldHeader, kindLabel, kindNamed } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { t, sayText } from '../../contract/messages/words.ts';
import { presetColumns, PresetFields, PromptVariable, VariableName } from '../../contract/prompt-library.ts';
import { MAX_SCRIPT, MAX_PROMPTS_A_CALL, MAX_VERSIONS } from '../../contract/tool.ts';
import { type Column, planColumns } from '../../engine/batches/columns.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { readTable, type Table, decodeInPieces, detectEncoding } from '../../engine/batches/read-table.ts';
import { openProject, withQuietEngine, withSendingEngine } from '../connect.ts';
import { refused, UsageError } from '../exit.ts';
import { lookInLibrary, presetsCalled } from '../look.ts';
import { printList, toolFailed } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { wholeFile } from '../read-list.ts';
import type { Session } from '../session.ts';
import { count, JSON_LINES, verb, word } from '../verb.ts';
import { tableVerbs } from './table.ts';

const MODEL = word('--model <id>', 'cli.optTextModel', { required: true });
const OUT = word('--out <file>', 'cli.optMediaOut', { required: true });
const SHEET = word('--sheet <name>', 'cli.optSheet');
const ROWS = word('--rows <keys>', 'cli.optRows');
/** The person agrees to a second charge for calls that may have been charged. */
const YES = word('--yes', 'cli.optYesCharges');
const LIBRARY = word('--project <dir>', 'cli.optPresetProject');
const KIND = { choices: allKinds.map(({ kind }) => kind) };
const REWRITE = [
  word('<LIST>', 'cli.argShotList'),
  MODEL,
  word('--ask <text>', 'cli.optAsk', { required: true }),
  ROWS,
  word('--versions <n>', 'cli.optVersions', { parse: count }),
  SHEET,
  OUT,
  YES,
] as const;
const SHOTS = [word('<SCRIPT>', 'cli.argScript'), MODEL, word('--ask <text>', 'cli.optShotsAsk'), OUT, YES] as const;
const VARIABLE = word('<NAME>', 'cli.argVariable');
const SET = [VARIABLE, word('<TEXT>', 'cli.argVariableText'), LIBRARY] as const;
const SAVE = [
  word('<NAME>', 'cli.argPreset'),
  word('--kind <kind>', 'cli.optPresetKind', { ...KIND, required: true }),
  word('--set <settings...>', 'cli.optPresetSet', { required: true }),
  word('--project <dir>', 'cli.optPresetProject'),
] as const;
const APPLY = [
  word('<PRESET>', 'cli.argPreset'),
  word('<LIST>', 'cli.argShotList'),
  word('--kind <kind>', 'cli.optPresetKind', KIND),
  ROWS,
  SHEET,
  OUT,
  LIBRARY,
] as const;

const prompts = [
  verb('prompts rewrite', 'cli.helpPromptsRewrite', REWRITE, async (session, options) => {
    const { print } = session;
    const out = newFile(session.shell.cwd, options.out);
    const { versions = 1, model, ask, yes: isAgreed = false } = options;
    if (versions > MAX_VERSIONS) throw refused('cli.tooManyVersions', { versions, most: MAX_VERSIONS });
    const { table, source, ...list } = await listAt(session, options.list, options.sheet);
    const columns = promptColumns(list.columns, source);
    const withPrompt = toRows(table).filter((row) => (table.rows[row]?.[columns.prompt] ?? '').trim() !== '');
    if (withPrompt.length === 0) throw refused('cli.noPrompts');
    const chosen = chosenRows(table, list.columns, withPrompt, options.rows);

    const found = new Map<number, readonly string[]>();
    const calls: string[] = [];
    const failure = await withSendingEngine(session, async ({ api: { tools } }) => {
      for (let start = 0; start < chosen.length; start += MAX_PROMPTS_A_CALL) {
        const piece = chosen.slice(start, start + MAX_PROMPTS_A_CALL);
        const texts = piece.map((row) => table.rows[row]?.[columns.prompt] ?? '');
        const answer = await tools.rewrite({ projectId: null, model, ask, versions, prompts: texts, isAgreed });
        if (answer.type === 'failed') return answer.failure;
        calls.push(answer.callId);
        for (const [index, row] of piece.entries()) {
          const rewritten = answer.prompts[index];
          if (rewritten) found.set(row, rewritten);
        }
      }
      await writeFile(out, csvText(table.headers, rewrittenRows(table, columns, found)), { flag: 'wx' });
      // Only now: if writing the list had failed, the same command would return the answers again at no charge.
      for (const call of calls) await tools.used({ callId: call });
      return null;
    });
    if (failure) {
      return toolFailed(
        session,
        failure,
        calls.length === 0 ? '' : ` ${t('cli.answersKept', { count: calls.length })}`,
      );
    }

    for (const row of chosen) {
      const name = rowName(table, columns, row);
      const before = table.rows[row]?.[columns.prompt] ?? '';
      const after = found.get(row) ?? [];
      if (after.length === 0) print(t('cli.rowUnchanged', { name, is: 'other' }));
      else if (after.length === 1 && after[0] === before) print(t('cli.rowUnchanged', { name, is: 'same' }));
      else
        print(
          [name, `  - ${shortText(before, 200)}`, ...after.map((text) => `  + ${shortText(text, 200)}`)].join('\n'),
        );
    }
    print(t('cli.rewritten', { count: calls.length, model, source, file: options.out }));
  }),
  verb('prompts shots', 'tools.scriptToShots', SHOTS, async (session, options) => {
    const { print, shell } = session;
    const out = newFile(shell.cwd, options.out);
    const script = await scriptText(resolve(shell.cwd, options.script));
    const { model, ask = '', yes: isAgreed = false } = options;
    const answer = await withSendingEngine(session, async ({ api: { tools } }) => {
      const shots = await tools.shots({ projectId: null, model, script, ask, isAgreed });
      if (shots.type === 'failed') return shots;
      const rows = shots.shots.map(({ key, prompt, duration = '', notes = '' }) => [
        key,
        prompt,
        String(duration),
        notes,
      ]);
      await writeFile(out, csvText(['shot', 'prompt', 'duration', 'notes'], rows), { flag: 'wx' });
      await tools.used({ callId: shots.callId });
      return shots;
    });
    if (answer.type === 'failed') return toolFailed(session, answer.failure);
    for (const { key, prompt } of answer.shots) print(`${plainText(key)}  ${shortText(prompt, 100)}`);
    print(t('cli.shotsWritten', { count: answer.shots.length, file: options.out }));
  }),
  verb('prompts variables list', 'cli.helpVariablesList', [LIBRARY, JSON_LINES], (session, options) => {
    printList(session, {
      type: 'variable',
      rows: lookInLibrary(session, options, ({ variables }, projectId) => variables.list(projectId)),
      cells: ({ name, text, projectId }) => [
        t('cli.variable', { name: plainText(name), text: shortText(text, 200), scope: scopeFor(projectId) }),
      ],
      none: t('cli.noneYet'),
    });
  }),
  /** Started batches do not change. The project is opened, and made where there is none yet, as by a run. */
  verb('prompts variables set', 'command.setVariable', SET, async (session, { name, project, ...given }) => {
    if (!VariableName.safeParse(name).success) throw refused('cli.badVariableName', { name });
    const text = PromptVariable.shape.text.safeParse(given.text);
    if (!text.success) throw refused('cli.badVariableText');
    await withQuietEngine(session, async ({ api }) => {
      const projectId = await openProject(session, api, project);
      await api.promptLibrary.setVariable({ projectId, name, text: text.data });
    });
    session.print(t('cli.variableSet', { name: plainText(name) }));
  }),
  verb('prompts variables remove', 'command.removeVariable', [VARIABLE, LIBRARY], async (session, options) => {
    const { name } = options;
    const projectId = lookInLibrary(session, options, ({ variables }, ofProject) => {
      const all = variables.list(ofProject);
      if (all.some((each) => each.name === name && each.projectId === ofProject)) return ofProject;
      throw new UsageError(t('failure.noVariable', { name }), t('failure.noVariableRemedy'));
    });
    await withQuietEngine(session, ({ api }) => api.promptLibrary.removeVariable({ projectId, name }));
    session.print(t('history.variableRemoved', { name: plainText(name) }));
  }),
];

const presets = [
  verb('presets list', 'cli.helpPresetsList', [LIBRARY, JSON_LINES], (session, options) => {
    printList(session, {
      type: 'preset',
      rows: lookInLibrary(session, options, ({ presets: stored }, projectId) => stored.list(projectId)),
      cells({ name, kind, cells, projectId }) {
        const facts = { name: plainText(name), kind: sayText(kindLabel(kind)), settings: settingsInWords(cells) };
        return [t('cli.preset', { ...facts, scope: scopeFor(projectId) })];
      },
      none: t('cli.noneYet'),
    });
  }),
  verb('presets save', 'command.savePreset', SAVE, async (session, options) => {
    const { name, kind, set = [] } = options;
    const cells = settingsGiven(set, kind);
    const projectId = lookInLibrary(session, options, (_view, id) => id);
    const fields = PresetFields.safeParse({ projectId, kind, name, cells });
    if (!fields.success) throw refused('cli.badPreset');
    await withQuietEngine(session, ({ api }) => api.promptLibrary.savePreset(fields.data));
    session.print(t('history.presetSaved', { name: plainText(name) }));
  }),
  verb('presets apply', 'cli.helpPresetsApply', APPLY, async (session, options) => {
    const out = newFile(session.shell.cwd, options.out);
    const [preset] = presetsCalled(session, options.preset, options);
    if (!preset) throw refused('cli.noPreset', { name: options.preset });
    const { kind, cells, name } = preset;
    const { table, columns } = await listAt(session, options.list, options.sheet);
    const chosen = chosenRows(table, columns, toRows(table), options.rows);
    const fitting = chosen.filter((row) => isOfKind(table, columns, row, kind));

    const headers = [...table.headers];
    const rows = table.rows.map((row) => headers.map((_, index) => row[index] ?? ''));
    for (const [setting, value] of Object.entries(cells)) {
      const known = columns.find((column) => parameterName(column, kind) === setting);
      const place = known?.index ?? headers.push(setting) - 1;
      if (known === undefined) for (const row of rows) row.push('');
      for (const row of fitting) rows[row]?.splice(place, 1, value);
    }
    await writeFile(out, csvText(headers, rows), { flag: 'wx' });
    const others = chosen.length - fitting.length;
    const facts = { name: plainText(name), count: fitting.length, others, file: options.out };
    session.print(t('cli.presetApplied', facts));
  }),
];

export const verbs = [...prompts, ...presets, ...tableVerbs('presets', presets)];

const scopeFor = (projectId: string | null) => (projectId === null ? 'all' : 'project');

async function listAt({ shell }: Session, list: string, sheet: string | undefined) {
  const source = basename(list);
  const table = await readTable({ bytes: await wholeFile(resolve(shell.cwd, list)), name: source }, { sheet });
  const { columns, defects } = planColumns(table);
  const broken = [...table.defects, ...defects].find(({ severity }) => severity === 'error');
  if (!broken) return { table, columns, source };
  throw new UsageError(t('common.namedValue', { name: source, value: broken.problem }), broken.remedy);
}

/** The rows of a list with new prompts; further versions of a prompt are rows of their own. */
function rewrittenRows(
  { headers, rows: read }: Table,
  columns: PromptColumns,
  found: ReadonlyMap<number, readonly string[]>,
): DraftList['rows'] {
  const rows = read.map((row) => row.slice(0, headers.length));
  const made = [...found].map(([row, [inPlace, ...below]]): [number, NewPrompts] => [row, { inPlace, below }]);
  const list = { headers, rows, mapping: {}, kind: null, defaults: {} };
  return applyEdit(list, rewriteEdit(rows, columns, new Map(made))).rows;
}

/** Throws UsageError, before anything is paid for, when the proposal cannot be written. */
export function newFile(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  if (existsSync(path)) throw refused('cli.fileExists', { name });
  return path;
}

function promptColumns(columns: readonly Column[], source: string): PromptColumns {
  const prompt = placeFor(columns, 'prompt');
  if (prompt === null) throw refused('cli.noPromptColumn', { source });
  return { prompt, key: placeFor(columns, 'shot') };
}

/** Of these rows, by their index, those that `--rows` names; all of them without it. */
function chosenRows(table: Table, columns: readonly Column[], rows: readonly number[], keys: string | undefined) {
  if (keys === undefined) return [...rows];
  const key = placeFor(columns, 'shot');
  const wanted = new Set(keys.split(',').map((each) => each.trim()));
  const chosen = rows.filter((row) => wanted.delete(rowName(table, { key }, row)));
  const [missing] = wanted;
  if (missing !== undefined) throw refused('cli.noRowWithKey', { key: plainText(missing) });
  return chosen;
}

/** The key of a row; in a list without keys, its number in the spreadsheet. */
const rowName = (table: Table, { key }: Pick<PromptColumns, 'key'>, row: number): string =>
  plainText((key === null ? undefined : table.rows[row]?.[key]?.trim()) || String(table.rowNumbers[row] ?? row + 2));

async function scriptText(path: string): Promise<string> {
  const bytes = await wholeFile(path, true);
  const text = [...decodeInPieces(bytes, detectEncoding(bytes), bytes.length + 1)].join('').trim();
  if (text === '') throw refused('cli.scriptEmpty', { path });
  if (text.length <= MAX_SCRIPT) return text;
  throw refused('tools.scriptTooLong', { most: MAX_SCRIPT });
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
    throw refused('cli.noSetting', { setting: shortText(text, 80), names });
  });
  return Object.fromEntries(settings);
}

/** Name of the parameter that a column is in rows of a kind; null for one that is not sent. */
function parameterName({ meaning }: Column, kind: Kind): string | null {
  if (meaning.is === 'shared') return meaning.column.name;
  return meaning.is === 'parameter' ? (meaning.byKind.get(kind)?.name ?? null) : null;
}

const placeFor = (columns: readonly Column[], name: string): number | null =>
  columns.find(({ meaning }) => meaning.is === 'shared' && meaning.column.name === name)?.index ?? null;

const toRows = ({ rows }: Table): number[] =>
  rows.flatMap((row, index) => (row.some((cell) => cell.trim() !== '') ? [index] : []));

function isOfKind({ rows }: Table, columns: readonly Column[], row: number, kind: Kind): boolean {
  const place = placeFor(columns, 'kind');
  const text = place === null ? '' : (rows[row]?.[place] ?? '').trim();
  return text === '' || kindNamed(text) === kind;
}

const settingsInWords = (cells: Readonly<Record<string, string>>): string =>
  Object.entries(cells)
    .map(([column, text]) => `${plainText(column)} ${shortText(text, 60)}`)
    .join(', ');
