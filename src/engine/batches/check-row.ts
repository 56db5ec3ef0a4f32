import type { Json } from '../../contract/json.ts';
import { foldHeader, kindNamed, kindSpecs } from '../../contract/kinds/index.ts';
import { Kind } from '../../contract/kinds/kind.ts';
import type { PromptNeed } from '../../contract/kinds/spec.ts';
import { type SharedColumnName, WAITS } from '../../contract/kinds/shared.ts';
import { expandPrompt, type Variables } from '../../contract/prompt-library.ts';
import { asProblem, messageFor } from '../../contract/messages/message.ts';
import type { Problem, ShotSpec, Defect } from '../../contract/shot.ts';
import { MAX_KEY } from '../../contract/units.ts';
import { readMediaReference } from '../kinds/media-reference.ts';
import { columnThatSends, extraFieldName, extraFieldValue } from '../kinds/extra-fields.ts';
import { rulesFor } from '../kinds/index.ts';
import { shotReferences } from '../kinds/shot-reference.ts';
import { checkListedValues } from '../kinds/listed-values.ts';
import { checkPaths, type MediaUse, type RuleSettings } from '../kinds/rules.ts';
import { guessedKind, kindOfModel, lineFor, type AccountModels } from '../models/index.ts';
import { jsonDefect, lengthProblem, textProblem } from './cells.ts';
import { judgeMedium, type MediaOptions, type NamingRow } from './check-references.ts';
import type { Layout, CellPlace } from './columns.ts';
import type { WantedFile } from './local-files.ts';

export interface RowContext extends MediaOptions {
  readonly layout: Layout;
  readonly kind: Kind | undefined;
  readonly settings: RuleSettings;
  readonly aliases: ReadonlySet<string>;
  readonly variables: Variables;
  readonly accountModels: AccountModels | undefined;
}

export interface ReadRow extends NamingRow {
  readonly files: readonly (WantedFile & { readonly column: string; readonly value: string })[];
  readonly written: string | undefined;
}

export class RowReader {
  readonly defects: Defect[] = [];
  readonly row: number;
  shot: string | undefined;
  private readonly context: RowContext;
  private readonly cells: readonly string[];
  private writtenPrompt: string | undefined;

  constructor(context: RowContext, cells: readonly string[], row: number) {
    this.context = context;
    this.cells = cells;
    this.row = row;
  }

  error(column: string, value: string, problem: Problem): void {
    this.add({ severity: 'error', column, ...problem }, value);
  }

  warning(column: string, value: string, problem: Problem): void {
    this.add({ severity: 'warning', column, ...problem }, value);
  }

  get hasError(): boolean {
    return this.defects.some(({ severity }) => severity === 'error');
  }

  isSkipped(): boolean {
    return this.shared('skip') === true;
  }

  /** The key as written, up to the longest that there may be, or null where the cell is empty. */
  key(): string | null {
    const key = this.text('shot');
    if (key === undefined) return null;
    if (key.length > MAX_SHOT_KEY || key.includes('\n')) {
      const problem = messageFor('defect.badKey', { most: MAX_SHOT_KEY });
      this.error(this.header('shot'), key, asProblem(problem, 'remedy.shorten'));
    }
    return key.slice(0, MAX_SHOT_KEY);
  }

  read(key: string): ReadRow | null {
    const written = this.name('model') ?? '';
    const kind = this.kind(written);
    this.checkShape();
    if (kind === null) {
      if (written === '') this.reportNoModel();
      return null;
    }
    const { prompt = '', ...params } = this.params(kind);
    const model = this.model(written, kindSpecs[kind].ownModel?.(params, written) ?? null);
    const spec: ShotSpec = {
      key,
      kind,
      model,
      prompt: String(prompt),
      takes: this.number('takes', 1),
      params,
      extra: this.extra(),
      columns: this.others(),
      priority: this.number('priority', 0),
    };
    const fileName = this.text('file_name');
    const notes = this.text('notes');
    const group = this.name('group');
    if (fileName !== undefined) spec.fileName = fileName;
    if (notes !== undefined) spec.notes = notes;
    if (group !== undefined) spec.group = group;
    const wait = this.text('wait_for');
    const waitFor = WAITS.find((each) => each === wait);
    if (waitFor !== undefined) spec.waitFor = waitFor;
    const callbackUrl = this.callbackUrl(kind, params);
    if (callbackUrl !== undefined) spec.callbackUrl = callbackUrl;
    this.checkPrompt(spec);
    this.checkExtra(spec);
    return { row: this.row, spec, ...this.applyRules(spec), written: this.writtenPrompt };
  }

  private add({ severity, column, problem, remedy }: Omit<Defect, 'row' | 'shot' | 'value'>, value: string): void {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
    const shot = this.shot === undefined ? {} : { shot: this.shot };
    this.defects.push({ severity, row: this.row, column, ...shot, value: shown, problem, remedy });
  }

  private hasErrorAt(column: string): boolean {
    return this.defects.some((defect) => defect.severity === 'error' && defect.column === column);
  }

  private cell(place: Pick<CellPlace, 'index'>): string {
    return this.cells[place.index]?.trim() ?? '';
  }

  private header(name: SharedColumnName): string {
    return this.context.layout.shared[name]?.header ?? name;
  }

  private shared(name: SharedColumnName): Json | undefined {
    const place = this.context.layout.shared[name];
    const text = place === undefined ? '' : this.cell(place);
    if (place === undefined || text === '') return undefined;
    const reading = place.read(text);
    if (reading.ok) return reading.value;
    this.error(place.header, text, reading);
    return undefined;
  }

  private text(name: SharedColumnName): string | undefined {
    const value = this.shared(name);
    return typeof value === 'string' ? value : undefined;
  }

  private name(column: 'model' | 'group'): string | undefined {
    const name = this.text(column);
    if (name === undefined || name.length <= MAX_KEY) return name;
    const problem = messageFor('defect.nameTooLong', { length: name.length, most: MAX_KEY });
    this.error(this.header(column), name, asProblem(problem, 'remedy.shorten'));
    return name.slice(0, MAX_KEY);
  }

  /** Not sent by kinds whose requests have no field for it. */
  private callbackUrl(kind: Kind, params: ShotSpec['params']): string | undefined {
    const url = this.text('callback_url');
    if (url === undefined) return undefined;
    const header = this.header('callback_url');
    if (kindSpecs[kind].callbackField?.(params) === undefined) {
      const problem = messageFor('defect.notOfKind', { column: header, kind });
      this.warning(header, url, asProblem(problem, 'remedy.clearCell'));
    } else if (readMediaReference(url).at !== 'url') {
      this.error(header, url, asProblem('defect.notUrl', 'remedy.beginWithHttps'));
    } else return url;
    return undefined;
  }

  private number(name: SharedColumnName, absent: number): number {
    const value = this.shared(name);
    return typeof value === 'number' ? value : absent;
  }

  /** `own`: a model that makes the row whatever the cell says. */
  private model(written: string, own: string | null): string {
    if (own === null && written === '') this.reportNoModel();
    if (own !== null && written !== '' && written !== own) {
      const notSent = asProblem('defect.modelNotSent', 'remedy.clearOrCorrectKind');
      this.warning(this.header('model'), written, notSent);
    }
    return own ?? written;
  }

  private reportNoModel(): void {
    if (this.context.layout.shared.model === undefined) return;
    this.error(this.header('model'), '', asProblem('defect.noModel', 'remedy.writeModel'));
  }

  /** The kind of a row: its own cell, else what the model surely makes, else the batch's, else a guess by the name. */
  private kind(model: string): Kind | null {
    const place = this.context.layout.shared.kind;
    const written = place === undefined ? '' : this.cell(place);
    const certain = kindOfModel(model);
    const header = place?.header ?? 'kind';
    if (written === '') {
      const kind = certain ?? this.context.kind ?? guessedKind(model);
      if (kind === null && model !== '') {
        const remedy = messageFor('remedy.writeKindOrChoose', { kinds: Kind.options });
        this.error(header, '', asProblem(messageFor('defect.kindUnknown', { model }), remedy));
      }
      return kind;
    }
    const named = kindNamed(written);
    if (named === null) {
      const remedy = messageFor('remedy.writeOneOf', { choices: Kind.options });
      this.error(header, written, asProblem('defect.unfit', remedy));
    } else if (certain !== null && certain !== named) {
      const problem = messageFor('defect.modelMakesOther', { model, made: certain, wanted: named });
      this.error(header, written, asProblem(problem, messageFor('remedy.writeKindOrModel', { kind: certain })));
    }
    return named;
  }

  /** Cells outside the named columns: most often a comma in a prompt that is not quoted. */
  private checkShape(): void {
    const { nameless, width } = this.context.layout;
    if (this.cells.reduce((length, cell) => length + cell.length, 0) > MAX_ROW) {
      const problem = messageFor('defect.rowTooLong', { most: MAX_ROW });
      this.error('', '', asProblem(problem, 'remedy.shorten'));
    }
    const beyond = this.cells.slice(width).find((cell) => cell.trim() !== '');
    if (beyond !== undefined) {
      const problem = messageFor('defect.tooManyCells', { cells: this.cells.length, columns: width });
      this.error('', beyond.trim(), asProblem(problem, 'remedy.quoteTexts'));
      return;
    }
    for (const index of nameless) {
      const value = this.cell({ index });
      if (value === '') continue;
      const problem = messageFor('defect.cellWithoutHeader', { column: index + 1 });
      this.warning('', value, asProblem(problem, 'remedy.giveHeader'));
    }
  }

  private params(kind: Kind): Record<string, Json> {
    const params: Record<string, Json> = {};
    for (const { parameter, places, read } of this.context.layout.parameters[kind]) {
      const [place, other] =
        places.length === 1 && this.cell(places[0] as CellPlace) !== ''
          ? places
          : places.filter((each) => this.cell(each) !== '');
      if (place === undefined) continue;
      const text = this.cell(place);
      if (other !== undefined && other !== place && this.cell(other) !== text) {
        const facts = { kind, column: place.header, other: other.header };
        const problem = messageFor('defect.sameColumnsDiffer', facts);
        this.error(other.header, this.cell(other), asProblem(problem, 'remedy.keepOne'));
      }
      const reading = read(parameter.name === 'prompt' ? this.expanded(place, text) : text);
      if (reading.ok) params[parameter.name] = reading.value;
      else this.error(place.header, text, reading);
    }
    for (const place of this.context.layout.foreign[kind]) {
      const text = this.cell(place);
      if (text === '') continue;
      const problem = messageFor('defect.notOfKind', { kind, column: place.header });
      this.warning(place.header, text, asProblem(problem, 'remedy.clearOrCorrectKind'));
    }
    return params;
  }

  /** The prompt as it is sent: from here on, rules, price, recipe and take know this one alone. */
  private expanded(place: CellPlace, prompt: string): string {
    const { text, unknown } = expandPrompt(prompt, this.context.variables);
    const [name] = unknown;
    if (name !== undefined) {
      const problem = messageFor('defect.unknownVariable', { name, others: unknown.length - 1 });
      this.error(place.header, prompt, asProblem(problem, messageFor('remedy.setVariable', { name })));
    }
    if (text !== prompt) this.writtenPrompt = prompt;
    return text.trim();
  }

  private extra(): Record<string, string> {
    const extra: Record<string, string> = {};
    for (const place of this.context.layout.extras) {
      if (this.cell(place) !== '') extra[place.name] = this.cells[place.index] ?? '';
    }
    return extra;
  }

  private others(): Record<string, string> {
    const others: Record<string, string> = {};
    for (const place of this.context.layout.others) {
      const text = this.cell(place);
      const problem = lengthProblem(text);
      if (problem === null) others[place.name] = text;
      else this.error(place.header, text, problem);
    }
    return others;
  }

  private checkPrompt(spec: ShotSpec): void {
    const { prompt, params } = spec;
    const header = this.placeOf(spec.kind, 'prompt')?.header ?? 'prompt';
    if (prompt === '' && !this.hasErrorAt(header))
      this.checkEmptyPrompt(kindSpecs[spec.kind].prompt(params), header, spec.extra);
    if (prompt.includes('\uFFFD')) {
      this.warning(header, prompt, asProblem('defect.unreadableCharacters', 'remedy.chooseEncoding'));
    }
  }

  /** A paid request without any words is a mistake, even if the service accepts it. We cannot judge `param.` fields. */
  private checkEmptyPrompt(need: PromptNeed, header: string, extra: ShotSpec['extra']): void {
    const saysSomething = need === 'optional' || (need === 'usual' && Object.keys(extra).length > 0);
    if (!saysSomething) this.error(header, '', asProblem('defect.noPrompt', 'remedy.writePrompt'));
  }

  private checkExtra(spec: ShotSpec): void {
    for (const { index, header, name } of this.context.layout.extras) {
      const text = this.cells[index] ?? '';
      if (text.trim() === '') continue;
      const problem = textProblem(text) ?? extraProblem(spec, name, text);
      if (problem !== null) this.error(header, text, problem);
    }
  }

  /** Checks the shot as a whole against the service's rules, and the media it names. */
  private applyRules(spec: ShotSpec): Pick<ReadRow, 'files' | 'references'> {
    const rules = rulesFor(spec.kind);
    const media = rules.mediaOf(spec.params);
    const files = media.length === 0 ? noFiles : media.flatMap((use) => this.checkMedium(spec.kind, use));
    const references = shotReferences(spec, media).map((reference) => {
      return { ...reference, header: this.placeOf(spec.kind, reference.parameter)?.header ?? reference.parameter };
    });
    if (this.decisionIsUnreadable(spec.kind)) return { files, references };
    const { accountModels, settings, aliases } = this.context;
    const findings = [
      ...checkPaths(spec, settings),
      ...rules.check(spec, { line: lineFor(spec.model), media, settings, aliases }),
    ];
    for (const finding of [...findings, ...checkListedValues(spec, accountModels?.get(spec.model) ?? {})]) {
      const place = this.placeOf(spec.kind, finding.column);
      const column = place?.header ?? finding.column;
      if (!this.hasErrorAt(column)) this.add({ ...finding, column }, place === undefined ? '' : this.cell(place));
    }
    return { files, references };
  }

  /** While a cell that decides the kind cannot be read, rules about the others would only mislead. */
  private decisionIsUnreadable(kind: Kind): boolean {
    return this.context.layout.parameters[kind].some(
      ({ parameter, places }) =>
        (parameter.type === 'choice' || parameter.type === 'json') &&
        places.some(({ header }) => this.hasErrorAt(header)),
    );
  }

  private checkMedium(kind: Kind, use: MediaUse): ReadRow['files'] {
    const column = this.placeOf(kind, use.column)?.header ?? use.column;
    const found = judgeMedium(use, this.context);
    if (typeof found === 'string') {
      return [{ path: found, media: use.media, maxBytes: use.maxBytes, column, value: use.cell }];
    }
    if (found !== null) this.error(column, use.cell, found);
    return [];
  }

  private placeOf(kind: Kind, column: string): CellPlace | undefined {
    const { layout } = this.context;
    const places = layout.parameters[kind].find(({ parameter }) => parameter.name === column)?.places;
    if (places !== undefined) return places.find((place) => this.cell(place) !== '') ?? places[0];
    return (
      Object.values(layout.shared).find((place) => place.column.name === column) ??
      layout.extras.find((place) => `param.${place.name}` === column)
    );
  }
}

const MAX_SHOT_KEY = 200;
/** Characters of a row: its recipe has them twice, and can be read again. */
const MAX_ROW = 250_000;

const noFiles: ReadRow['files'] = [];

function extraProblem(spec: ShotSpec, name: string, text: string): Problem | null {
  const field = extraFieldName(name);
  const ofEveryKind = ['model', 'prompt'].find((column) => column === foldHeader(field));
  if (ofEveryKind !== undefined) {
    const facts = { column: ofEveryKind };
    return asProblem(messageFor('defect.notExtraField', facts), messageFor('remedy.useColumn', facts));
  }
  if (spec.callbackUrl !== undefined && field === kindSpecs[spec.kind].callbackField?.(spec.params)) {
    return asProblem(messageFor('defect.sentTwice', { name: field }), 'remedy.keepOne');
  }
  const column = columnThatSends(field, spec.kind)?.name;
  if (column !== undefined && spec.params[column] !== undefined) {
    const remedy = messageFor('remedy.clearCellOrColumn', { column });
    return asProblem(messageFor('defect.sentTwice', { name: column }), remedy);
  }
  try {
    return namesShot(extraFieldValue(name, text)) ? shotInExtraField : null;
  } catch (error) {
    return asProblem(jsonDefect(error), messageFor('remedy.writeJsonOrText', { field }));
  }
}

/** Whether a value would send the name of a shot as it is: only columns of media and of texts look for its take. */
function namesShot(value: Json): boolean {
  if (typeof value === 'string') return readMediaReference(value.trim()).at === 'shot';
  return typeof value === 'object' && value !== null && Object.values(value).some(namesShot);
}

const shotInExtraField = asProblem('defect.shotInExtraField', 'remedy.columnOrAddress');

/** A defect shows the beginning of a long value; the list has the rest. */
const SHOWN_CHARACTERS = 300;
