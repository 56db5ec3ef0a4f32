import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Json } from '../../contract/json.ts';
import { escapePrompt } from '../../contract/prompt-library.ts';
import { leadingColumns, type SharedColumnName, trailingColumns } from '../../contract/kinds/shared.ts';
import type { ShotSpec } from '../../contract/shot.ts';

export interface ShotTable {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function shotsAsTable(shots: readonly ShotSpec[]): ShotTable {
  const kinds = [...new Set(shots.map(({ kind }) => kind))];
  const headers = [
    ...leadingColumns.map(({ name }) => name),
    ...unique(kinds.flatMap((kind) => usedParameters(shots.filter((shot) => shot.kind === kind)))),
    ...unique(shots.flatMap(({ extra }) => Object.keys(extra).map((name) => `param.${name}`))),
    ...unique(shots.flatMap(({ columns }) => Object.keys(columns))),
    ...trailingColumns.map(({ name }) => name),
  ];
  return { headers, rows: shots.map((shot) => rowFor(shot, headers)) };
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

function usedParameters(shots: readonly ShotSpec[]): string[] {
  const used = new Set(shots.flatMap(({ params }) => Object.keys(params)));
  const [first] = shots;
  return first ? kindSpecs[first.kind].parameters.map(({ name }) => name).filter((name) => used.has(name)) : [];
}

function rowFor(shot: ShotSpec, headers: readonly string[]): string[] {
  const shared: Record<SharedColumnName, string> = {
    shot: shot.key,
    kind: shot.kind,
    model: shot.model,
    prompt: escapePrompt(shot.prompt),
    takes: String(shot.takes),
    file_name: shot.fileName ?? '',
    priority: shot.priority === 0 ? '' : String(shot.priority),
    skip: '',
    notes: shot.notes ?? '',
    group: shot.group ?? '',
    callback_url: shot.callbackUrl ?? '',
  };
  const cells: Record<string, string> = {
    ...shot.columns,
    ...Object.fromEntries(Object.entries(shot.extra).map(([name, text]) => [`param.${name}`, text])),
    ...cellsOfParams(shot),
    ...shared,
  };
  return headers.map((header) => cells[header] ?? '');
}

function cellsOfParams({ params }: Pick<ShotSpec, 'params'>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toCell(value)]));
}

function toCell(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('; ');
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
