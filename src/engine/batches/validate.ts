import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import { namesIn, type Variables } from '../../contract/prompt-library.ts';
import { Settings } from '../../contract/settings.ts';
import { keyForRow, type CheckedList, type Problem, type Defect, type ShotSpec } from '../../contract/shot.ts';
import { bareAlias } from '../kinds/media-reference.ts';
import type { RuleSettings } from '../kinds/rules.ts';
import { lineFor } from '../models/index.ts';
import type { AccountModels } from '../models/index.ts';
import { referenceDefects, type BatchesBeside } from './check-references.ts';
import { RowReader, type ReadRow, type RowContext } from './check-row.ts';
import { planColumns, type Column, type ColumnMapping, toLayout, type Layout } from './columns.ts';
import { inspectLocalFiles, nameOfWanted } from './local-files.ts';
import { nearestWord } from '../../contract/near-miss.ts';
import { createYielder } from '../base/slices.ts';
import type { Table } from './table.ts';

export interface CheckOptions {
  readonly listFolder: string;
  /** Kind of rows that name none and whose model does not decide it. */
  readonly kind?: Kind | undefined;
  /** What a person chose for single headers; it wins over the guess. */
  readonly mapping?: ColumnMapping;
  readonly settings?: RuleSettings;
  readonly variables?: Variables | undefined;
  readonly accountModels?: AccountModels | undefined;
  /** Shots of the batch beside the table, by key: for one row of a batch, which may name them. */
  readonly beside?: (key: string) => ShotSpec | null;
  /** The batches of the project, whose shots rows may name. */
  readonly batches?: BatchesBeside | undefined;
  /** Cells that name a shot and whose take is chosen already. */
  readonly settled?: ReadonlySet<string>;
}

export interface CheckedTable extends CheckedList {
  readonly columns: readonly Column[];
  readonly rows: readonly number[];
  readonly texts: Variables;
  readonly skipped: number;
}

/**
 * Checks a whole list in one pass: every defect of every row, against the columns and the service's rules (service
 * reference, "Videos", "Images", "Generic tasks" and "Limits"). `shots` holds the rows without an error. Sends
 * nothing and never throws for what a list contains.
 */
export async function checkList(table: Table, options: CheckOptions): Promise<CheckedTable> {
  const { columns, defects: columnDefects } = planColumns(table, options.mapping);
  const layout = toLayout(columns);
  const { variables = new Map<string, string>() } = options;
  const context: RowContext = {
    layout,
    kind: options.kind,
    listFolder: options.listFolder,
    settings: options.settings ?? Settings.parse({}),
    variables,
    aliases: await collectAliases(table, layout),
    accountModels: options.accountModels,
  };
  const rows = await checkRows(table, context);
  const { beside = () => null, settled = new Set(), batches } = options;
  const defects = [
    ...table.defects,
    ...columnDefects,
    ...checkHeaders(table, layout, rows.lackModel),
    ...rows.defects,
    ...referenceDefects(rows.read, { rows: rows.rowOfKey, skipped: rows.skipped, beside, settled, batches }),
    ...(await fileDefects(rows.read, options.listFolder)),
  ];
  const broken = new Set(defects.filter(({ severity }) => severity === 'error').map(({ row }) => row));
  const sound = rows.read.filter(({ row }) => !broken.has(row));
  const named = new Set(sound.flatMap(({ written }) => (written === undefined ? [] : namesIn(written))));
  return {
    columns,
    shots: sound.map(({ spec }) => spec),
    rows: sound.map(({ row }) => row),
    texts: new Map([...variables].filter(([name]) => named.has(name))),
    defects: defects.sort((a, b) => a.row - b.row),
    skipped: rows.skippedRows,
  };
}

function checkHeaders(table: Table, { shared }: Layout, lacksModel: boolean): Defect[] {
  if (table.defects.some(({ row, severity }) => row === 0 && severity === 'error')) return [];
  const defect = (column: string, ...words: Parameters<typeof asProblem>): Defect[] => [
    { severity: 'error', row: table.headerRow, column, value: table.headers.join(', '), ...asProblem(...words) },
  ];
  if (table.headers.length === 0) return defect('', 'defect.emptyList', 'remedy.headersFirst');
  if (shared.model === undefined && lacksModel) {
    if (shared.prompt !== undefined) return defect('model', 'defect.noModelColumn', 'remedy.addOrMapColumn');
    return defect('', 'defect.noKnownHeaders', 'remedy.headersFirst');
  }
  return table.rows.length === 0 ? defect('', 'defect.noRows', 'remedy.addRows') : [];
}

interface RowsRead {
  readonly read: readonly ReadRow[];
  readonly defects: readonly Defect[];
  readonly rowOfKey: ReadonlyMap<string, number>;
  readonly skipped: ReadonlyMap<string, number>;
  readonly skippedRows: number;
  readonly lackModel: boolean;
}

async function checkRows(table: Table, context: RowContext): Promise<RowsRead> {
  const read: ReadRow[] = [];
  const defects: Defect[] = [];
  const rowOfKey = new Map<string, number>();
  const skipped = new Map<string, number>();
  /** Those that were looked up: each is told once. */
  const models = new Set<string>();
  let skippedRows = 0;
  let lackModel = table.rows.length === 0;
  const giveWay = createYielder();
  for (const [place, cells] of table.rows.entries()) {
    await giveWay();
    const reader = new RowReader(context, cells, table.rowNumbers[place] ?? 0);
    const isSkipped = reader.isSkipped();
    const key = keyForRow(reader.key(), place);
    if (isSkipped) {
      skipped.set(key, reader.row);
      skippedRows += 1;
      continue;
    }
    reader.shot = key;
    const earlier = rowOfKey.get(key);
    if (earlier === undefined) rowOfKey.set(key, reader.row);
    else {
      const twice = asProblem(messageFor('defect.keyTwice', { row: earlier, key }), 'remedy.ownKey');
      reader.error(context.layout.shared.shot?.header ?? 'shot', key, twice);
    }
    const shot = reader.read(key);
    lackModel ||= shot === null ? !reader.hasError : shot.spec.model === '';
    if (shot !== null) {
      const { model } = shot.spec;
      const unknown = models.has(model) ? null : unlisted(shot.spec, context.accountModels);
      if (unknown) reader.warning(context.layout.shared.model?.header ?? 'model', model, unknown);
      models.add(model);
      read.push(shot);
    }
    defects.push(...reader.defects);
  }
  return { read, defects, rowOfKey, skipped, skippedRows, lackModel };
}

/** What is wrong with a model that the account, or the reference, does not list; null for one that is listed. */
function unlisted({ kind, model, params }: ShotSpec, account: AccountModels | undefined): Problem | null {
  if (model === '' || model === kindSpecs[kind].ownModel?.(params, '')) return null;
  if (account === undefined) {
    if (lineFor(model) !== null) return null;
    return asProblem(messageFor('defect.modelNotKnown', { model }), 'remedy.noneIfIdRight');
  }
  if (account.has(model)) return null;
  const near = nearestWord(model, account.keys());
  const remedy = near === null ? 'remedy.writeModel' : messageFor('remedy.correctIdTo', { near });
  return asProblem(messageFor('defect.modelNotListed', { model }), remedy);
}

/** Aliases anywhere in the list: they show that an `@hero` lacks its reference in one row, and is no other `@`. */
async function collectAliases(table: Table, layout: Layout): Promise<ReadonlySet<string>> {
  const aliases = new Set<string>();
  const places = Object.values(layout.parameters)
    .flat()
    .flatMap(({ parameter, places }) => (parameter.type === 'json' ? places : []));
  const giveWay = createYielder();
  for (const place of places) {
    for (const cells of table.rows) {
      await giveWay();
      for (const [, alias] of (cells[place.index] ?? '').matchAll(/"alias"\s*:\s*"([^"\\]{1,1000})"/g)) {
        if (alias !== undefined) aliases.add(bareAlias(alias.trim()));
      }
    }
  }
  return aliases;
}

async function fileDefects(read: RowsRead['read'], folder: string): Promise<Defect[]> {
  const needed = read.filter(({ files }) => files.length > 0);
  const complaints = await inspectLocalFiles(
    needed.flatMap(({ files }) => files),
    folder,
  );
  return needed.flatMap(({ row, spec, files }) =>
    files.flatMap(({ column, value, ...file }): Defect[] => {
      const complaint = complaints.get(nameOfWanted(file));
      return complaint === undefined ? [] : [{ severity: 'error', row, column, shot: spec.key, value, ...complaint }];
    }),
  );
}
