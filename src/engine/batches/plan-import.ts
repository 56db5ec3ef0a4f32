import { withoutEnd, withoutLeadingZeros } from '../base/trim-end.ts';
import { hash } from 'node:crypto';
import { createYielder } from '../base/slices.ts';
import type { Json } from '../../contract/json.ts';
import type { ImportPlan, ShotSpec } from '../../contract/shot.ts';

export interface StoredShot {
  readonly key: string;
  readonly spec: ShotSpec;
}

/**
 * sha256 (hex) over what decides how a generation comes out: kind, model, prompt, parameters, `param.NAME` fields
 * and asset group. Takes, notes, priority, file name, callback and other columns are no part of it. Values that a spreadsheet
 * program writes differently when it saves a list (see `savedForm`) hash alike.
 */
export function contentHash(spec: ShotSpec): string {
  const { kind, model, prompt, params, extra, group = '' } = hashedContent(spec);
  const content: Json[] = [kind, savedForm(model), savedForm(prompt), savedForm(group)];
  addInOrder(content, params);
  content.push(null);
  addInOrder(content, extra);
  return hash('sha256', JSON.stringify(content));
}

function hashedContent({ kind, model, prompt, params, extra, group }: ShotSpec) {
  return { kind, model, prompt, params, extra, ...(group === undefined ? {} : { group }) };
}

/** Keys and values in the order of the keys: moving columns about in a list changes nothing. */
function addInOrder(content: Json[], values: Readonly<Record<string, Json>>): void {
  for (const key of Object.keys(values).sort()) content.push(key, normalised(values[key] ?? null));
}

function normalised(value: Json): Json {
  if (typeof value === 'string') return savedForm(value);
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  const content: Json[] = [];
  addInOrder(content, value);
  return content;
}

/** How a spreadsheet program saves a text cell: `001` and `1.0` as `1`, `true` as `TRUE`, ends and breaks tidied. */
export function savedForm(text: string): string {
  const tidy = text.includes('\r') ? text.replaceAll('\r\n', '\n').trim() : text.trim();
  // Longer numbers lose digits in a spreadsheet anyway, and long texts are not worth looking at.
  if (tidy.length > 15 || !/^[+\-\dtf]/i.test(tidy)) return tidy;
  const [, sign, whole, digits = ''] = /^([+-]?)(\d+)(?:[.,](\d+))?$/.exec(tidy) ?? [];
  if (whole === undefined) return /^(true|false)$/i.test(tidy) ? tidy.toUpperCase() : tidy;
  const fraction = withoutEnd(digits, /0/);
  return `${sign === '-' ? '-' : ''}${withoutLeadingZeros(whole)}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * What a re-import of an edited list does. Shots are matched by key; a key that a spreadsheet program has rewritten
 * (`001` saved as `1`) matches the one stored shot it can have come from. Where only the writing of a value changed,
 * the stored writing is kept, so that saving a list in a spreadsheet program and importing it again changes nothing.
 */
export async function planImport(stored: readonly StoredShot[], list: readonly ShotSpec[]): Promise<ImportPlan> {
  const giveWay = createYielder();
  const matches = matchKeys(stored, list);
  const added: ShotSpec[] = [];
  const changed: ShotSpec[] = [];
  const unchanged: ShotSpec[] = [];
  for (const spec of list) {
    await giveWay();
    const match = matches.get(spec.key);
    if (match === undefined) added.push(spec);
    else if (contentHash(match.spec) === contentHash(spec)) unchanged.push(withStoredWriting(match.spec, spec));
    else changed.push({ ...spec, key: match.key });
  }
  const kept = new Set([...matches.values()].map((match) => match.key));
  const removed = stored.map(({ key }) => key).filter((key) => !kept.has(key));
  return { added, changed, unchanged, removed };
}

export function matchKeys<Stored extends { readonly key: string }>(
  stored: readonly Stored[],
  list: readonly Pick<ShotSpec, 'key'>[],
): Map<string, Stored> {
  if (stored.length === 0) return new Map();
  const byKey = new Map(stored.map((shot) => [shot.key, shot]));
  const listed = new Set(list.map((spec) => spec.key));
  const matches = new Map<string, Stored>();
  const rewritten = Map.groupBy(
    stored.filter((shot) => !listed.has(shot.key)),
    (shot) => savedForm(shot.key),
  );
  for (const { key } of list) {
    const [same, ...others] = rewritten.get(key) ?? [];
    const match = byKey.get(key) ?? (others.length === 0 ? same : undefined);
    if (match !== undefined) matches.set(key, match);
  }
  return matches;
}

/** The content as stored, what does not count towards it as listed. */
function withStoredWriting(stored: ShotSpec, listed: ShotSpec): ShotSpec {
  const { group: _group, fileName: _fileName, notes: _notes, ...others } = listed;
  const fileName = storedWriting(stored.fileName, listed.fileName);
  const notes = storedWriting(stored.notes, listed.notes);
  return {
    ...others,
    ...hashedContent(stored),
    key: stored.key,
    columns: Object.fromEntries(
      Object.entries(listed.columns).map(([name, text]) => [name, storedWriting(stored.columns[name], text)]),
    ),
    ...(fileName === undefined ? {} : { fileName }),
    ...(notes === undefined ? {} : { notes }),
  };
}

function storedWriting<Text extends string | undefined>(stored: string | undefined, listed: Text): Text | string {
  if (stored === undefined || listed === undefined) return listed;
  return savedForm(stored) === savedForm(listed) ? stored : listed;
}
