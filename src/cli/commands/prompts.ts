import { say } from '../../contract/messages/words.ts';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Failure } from '../../contract/failure.ts';
import { LONGEST_SCRIPT, MOST_PROMPTS_A_CALL, MOST_VERSIONS } from '../../contract/prompts.ts';
import { type NewPrompts, type PromptColumns, rewriteEdit } from '../../contract/rewritten-rows.ts';
import { csvText } from '../../engine/batches/csv-text.ts';
import { planColumns } from '../../engine/batches/columns.ts';
import { applyEdit, type DraftList } from '../../contract/draft-list.ts';
import { readTable, type Table } from '../../engine/batches/read-table.ts';
import { decodeInPieces, detectEncoding } from '../../engine/batches/text-encoding.ts';
import { systemCode, textOf } from '../../engine/base/errors.ts';
import { withQuietEngine, withSendingEngine } from '../connect.ts';
import { type ExitStatus, UsageError } from '../exit.ts';
import { printLine, printList, toolFailed } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { wholeFile } from '../read-list.ts';
import { printTo, type Session } from '../session.ts';
import { count, type Given, JSON_LINES, verb, word } from '../verb.ts';
import { PromptVariable, VariableName } from '../../contract/prompt-variables.ts';
import { lookInLibrary } from '../named.ts';

const MODEL = word('--model <id>', 'cli.optTextModel', { required: true });
const OUT = word('--out <file>', 'cli.optPromptsOut', { required: true });
/** The person agrees to a second charge for calls that may have been charged. */
const YES = word('--yes', 'cli.optYesAgain');
const REWRITE = [
  word('<LIST>', 'cli.argShotList'),
  MODEL,
  word('--ask <text>', 'cli.optAsk', { required: true }),
  word('--rows <keys>', 'cli.optRows'),
  word('--versions <n>', 'cli.optVersions', { parse: count }),
  word('--sheet <name>', 'cli.optSheet'),
  OUT,
  YES,
] as const;
const SHOTS = [word('<SCRIPT>', 'cli.argScript'), MODEL, word('--ask <text>', 'cli.optShotsAsk'), OUT, YES] as const;

const PROJECT = word('--project <dir>', 'cli.optLibraryProject');
const NAME = word('<NAME>', 'cli.argVariable');
const LIST = [PROJECT, JSON_LINES] as const;
const SET = [NAME, word('<TEXT>', 'cli.argVariableText'), PROJECT] as const;
const REMOVE = [NAME, PROJECT] as const;

export const verbs = [
  verb('prompts rewrite', 'cli.helpPromptsRewrite', REWRITE, rewritePrompts),
  verb('prompts shots', 'cli.helpPromptsShots', SHOTS, scriptToShots),
  verb('prompts variables list', 'cli.helpVariablesList', LIST, listVariables),
  verb('prompts variables set', 'cli.helpVariablesSet', SET, setVariable),
  verb('prompts variables remove', 'cli.helpVariablesRemove', REMOVE, removeVariable),
];

async function rewritePrompts(session: Session, options: Given<typeof REWRITE>): Promise<ExitStatus> {
  const print = printTo(session);
  const { cwd } = session.shell;
  const out = newFile(cwd, options.out);
  const { versions = 1, model, ask, yes = false } = options;
  if (versions > MOST_VERSIONS) {
    throw new UsageError(
      say('cli.tooManyVersions', { versions }),
      say('cli.tooManyVersionsRemedy', { most: MOST_VERSIONS }),
    );
  }
  const source = basename(options.list);
  const bytes = await wholeFile(resolve(cwd, options.list));
  const table = await readTable({ bytes, name: source }, options.sheet === undefined ? {} : { sheet: options.sheet });
  const columns = promptColumns(table, source);
  const chosen = chosenRows(table, columns, options.rows);

  const found = new Map<number, readonly string[]>();
  const calls: string[] = [];
  const failure = await withSendingEngine(session, 'dailies prompts rewrite', async ({ api: { tools } }) => {
    for (let start = 0; start < chosen.length; start += MOST_PROMPTS_A_CALL) {
      const piece = chosen.slice(start, start + MOST_PROMPTS_A_CALL);
      const prompts = piece.map((row) => table.rows[row]?.[columns.prompt] ?? '');
      const request = { projectId: null, model, ask, versions, prompts, isAgreed: yes };
      const answer = await tools.rewrite(request);
      if (answer.type === 'failed') return answer.failure;
      calls.push(answer.callId);
      answer.prompts.forEach((versionsOfRow, index) => {
        const row = piece[index];
        if (row !== undefined) found.set(row, versionsOfRow);
      });
    }
    await writeFile(out, csvText(table.headers, rewrittenRows(table, columns, found)), { flag: 'wx' });
    // Only now: if writing the list had failed, the same command would return the answers again at no charge.
    for (const call of calls) await tools.used({ callId: call });
    return null;
  });
  if (failure) return failed(session, failure, calls.length);

  for (const row of chosen) {
    const name = rowName(table, columns, row);
    const before = table.rows[row]?.[columns.prompt] ?? '';
    const after = found.get(row) ?? [];
    if (after.length === 0) print(say('cli.rowWithoutAnswer', { name }));
    else if (after.length === 1 && after[0] === before) print(say('cli.rowUnchanged', { name }));
    else
      print([name, `  - ${shortText(before, 200)}`, ...after.map((text) => `  + ${shortText(text, 200)}`)].join('\n'));
  }
  return printLine(session, say('cli.rewritten', { count: calls.length, model, source, file: options.out }));
}

/** The rows of a list with new prompts; further versions of a prompt are rows of their own. */
function rewrittenRows(
  { headers, rows: read }: Table,
  columns: PromptColumns,
  found: ReadonlyMap<number, readonly string[]>,
): DraftList['rows'] {
  const rows = read.map((row) => row.slice(0, headers.length));
  const prompts = [...found].map(([row, [inPlace, ...below]]): [number, NewPrompts] => [row, { inPlace, below }]);
  const list = { headers, rows, mapping: {}, kind: null, defaults: {} };
  return applyEdit(list, rewriteEdit(rows, columns, new Map(prompts))).rows;
}

async function scriptToShots(session: Session, options: Given<typeof SHOTS>): Promise<ExitStatus> {
  const print = printTo(session);
  const { cwd } = session.shell;
  const out = newFile(cwd, options.out);
  const script = await scriptText(resolve(cwd, options.script));
  const { model, ask = '', yes = false } = options;
  const answer = await withSendingEngine(session, 'dailies prompts shots', async ({ api: { tools } }) => {
    const shots = await tools.shots({ projectId: null, model, script, ask, isAgreed: yes });
    if (shots.type === 'failed') return shots;
    const rows = shots.shots.map(({ key, prompt, duration, notes }) => [
      key,
      prompt,
      duration === undefined ? '' : String(duration),
      notes ?? '',
    ]);
    await writeFile(out, csvText(['shot', 'prompt', 'duration', 'notes'], rows), { flag: 'wx' });
    await tools.used({ callId: shots.callId });
    return shots;
  });
  if (answer.type === 'failed') return failed(session, answer.failure, 0);
  for (const { key, prompt } of answer.shots) print(`${plainText(key)}  ${shortText(prompt, 100)}`);
  return printLine(session, say('cli.shotsWritten', { count: answer.shots.length, file: options.out }));
}

/** Throws UsageError, before anything is paid for, when the proposal cannot be written. */
export function newFile(cwd: string, name: string): string {
  const path = resolve(cwd, name);
  if (existsSync(path)) throw new UsageError(say('cli.fileExists', { name }), say('cli.fileExistsRemedy'));
  return path;
}

function promptColumns(table: Table, source: string): PromptColumns {
  const broken = table.defects.find(({ severity }) => severity === 'error');
  if (broken) throw new UsageError(say('cli.listProblem', { list: source, problem: broken.problem }), broken.remedy);
  const { columns } = planColumns(table);
  const indexOf = (name: string): number =>
    columns.findIndex(({ meaning }) => meaning.is === 'shared' && meaning.column.name === name);
  const prompt = indexOf('prompt');
  if (prompt === -1) throw new UsageError(say('cli.noPromptColumn', { source }), say('cli.noPromptColumnRemedy'));
  const key = indexOf('shot');
  return { prompt, key: key === -1 ? null : key };
}

/** Rows with a prompt, by their index; only those of `--rows` when it is given. */
function chosenRows(table: Table, columns: PromptColumns, keys: string | undefined): number[] {
  const withPrompt = table.rows.flatMap((row, index) => ((row[columns.prompt] ?? '').trim() === '' ? [] : [index]));
  if (keys === undefined) {
    if (withPrompt.length === 0) throw new UsageError(say('cli.noPrompts'), say('cli.nothingSent'));
    return withPrompt;
  }
  const wanted = new Set(keys.split(',').map((key) => key.trim()));
  const chosen = withPrompt.filter((row) => wanted.delete(rowName(table, columns, row)));
  const [missing] = wanted;
  if (missing !== undefined) {
    throw new UsageError(say('cli.noRowWithKey', { key: missing }), say('cli.noRowWithKeyRemedy'));
  }
  return chosen;
}

/** The key of a row; in a list without keys, its number in the spreadsheet. */
export const rowName = (table: Table, { key }: Pick<PromptColumns, 'key'>, row: number): string =>
  plainText((key === null ? undefined : table.rows[row]?.[key]?.trim()) || String(table.rowNumbers[row] ?? row + 2));

async function scriptText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const reason = systemCode(error) === 'ENOENT' ? say('cli.unreadableMissing') : textOf(error);
    throw new UsageError(say('cli.scriptUnreadable', { path, reason }), say('cli.nameTextFile'), { cause: error });
  }
  const text = [...decodeInPieces(bytes, detectEncoding(bytes), bytes.length + 1)].join('').trim();
  if (text === '') throw new UsageError(say('cli.scriptEmpty', { path }), say('cli.nameTextFile'));
  if (text.length <= LONGEST_SCRIPT) return text;
  throw new UsageError(say('cli.scriptTooLong', { most: LONGEST_SCRIPT }), say('cli.scriptTooLongRemedy'));
}

function failed(session: Session, failure: Failure, answered: number): ExitStatus {
  const kept = answered === 0 ? '' : ` ${say('cli.answersKept', { count: answered })}`;
  return toolFailed(session, failure, kept);
}

function listVariables(session: Session, options: Given<typeof LIST>): ExitStatus {
  return printList(session, options.json, {
    type: 'variable',
    rows: lookInLibrary(session, options, ({ variables }, projectId) => variables.list(projectId)),
    object: (variable) => variable,
    cells({ name, text, projectId }) {
      const facts = { name: plainText(name), text: shortText(text, 200) };
      return [projectId === null ? say('cli.variableOfAll', facts) : say('cli.variable', facts)];
    },
    none: say('cli.noVariables'),
  });
}

/** Started batches do not change. The project is opened, and made where there is none yet, as by a run. */
async function setVariable(session: Session, { name, project, ...given }: Given<typeof SET>): Promise<ExitStatus> {
  if (!VariableName.safeParse(name).success) {
    throw new UsageError(say('cli.badVariableName', { name: plainText(name) }), say('cli.badVariableNameRemedy'));
  }
  const text = PromptVariable.shape.text.safeParse(given.text);
  if (!text.success) throw new UsageError(say('cli.badVariableText'), say('cli.badVariableTextRemedy'));
  await withQuietEngine(session, 'dailies prompts', async ({ api }) => {
    const path = project === undefined ? null : resolve(session.shell.cwd, project);
    const projectId = path === null ? null : (await api.projects.open({ path })).project.id;
    await api.promptLibrary.setVariable({ projectId, name, text: text.data });
  });
  return printLine(session, say('cli.variableSet', { name: plainText(name) }));
}

async function removeVariable(session: Session, options: Given<typeof REMOVE>): Promise<ExitStatus> {
  const { name } = options;
  const projectId = lookInLibrary(session, options, ({ variables }, ofProject) => {
    const all = variables.list(ofProject);
    if (all.some((each) => each.name === name && each.projectId === ofProject)) return ofProject;
    throw new UsageError(say('cli.noVariable', { name: plainText(name) }), say('cli.noVariableRemedy'));
  });
  await withQuietEngine(session, 'dailies prompts', ({ api }) => api.promptLibrary.removeVariable({ projectId, name }));
  return printLine(session, say('cli.variableRemoved', { name: plainText(name) }));
}
