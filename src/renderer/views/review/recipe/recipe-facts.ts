import { t, sayText } from '../../../../contract/messages/words.ts';
import type { TakeDetails } from '../../../../contract/review.ts';
import type { Cost } from '../../../../contract/failure.ts';
import type { Json } from '../../../../contract/json.ts';
import { kindSpecs } from '../../../../contract/kinds/index.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** A value as a cell of a list has it. Pure. */
export function toCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join('; ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A value as the form says it: yes or no, and numbers with their unit. Pure. */
export function valueInWords(value: Json | undefined, parameter: Parameter | undefined): string {
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  const measured = parameter?.type === 'integer' || parameter?.type === 'number' ? parameter : null;
  const isMeasure = typeof value === 'number' && measured?.unit !== undefined && !measured.special?.includes(value);
  return isMeasure ? t('common.inSeconds', { value: String(value) }) : toCell(value);
}

export const parametersFor = (kind: Kind): readonly Parameter[] => kindSpecs[kind].parameters;

export function toSettings({ recipe: { shot } }: TakeDetails): Fact[] {
  const parameters = new Map(parametersFor(shot.kind).map((parameter) => [parameter.name, parameter]));
  return [
    ...Object.entries(shot.params).map(([name, value]) => {
      const parameter = parameters.get(name);
      return { label: sayText(parameter?.label ?? name), value: valueInWords(value, parameter) };
    }),
    ...Object.entries(shot.extra).map(([name, value]) => ({ label: name, value })),
  ].filter(({ value }) => value !== '');
}

/** Columns that were kept with the shot and never sent. */
export const toColumns = ({ recipe: { shot } }: TakeDetails): Fact[] =>
  [
    ...Object.entries(shot.columns).map(([label, value]) => ({ label, value })),
    { label: t('review.notes'), value: shot.notes ?? '' },
  ].filter(({ value }) => value !== '');

/** What the service says of a digital human task, its fields by their own names. Pure. */
export function toTaskFacts({ recipe: { extras } }: TakeDetails): Fact[] {
  const { action = '', data = {} } = extras?.task ?? {};
  return [
    { label: t('review.taskAction'), value: action },
    ...Object.entries(data).map(([label, value]) => ({ label, value: toCell(value) })),
  ].filter(({ value }) => value !== '');
}

/** Whether the service charges for it, as far as anybody can know. Pure. */
export function toCost({ take, recipe }: TakeDetails): Cost {
  if (take.failure) return take.failure.cost;
  if (recipe.taskId !== undefined || take.outputs.length > 0) return 'charged';
  return recipe.attemptId === undefined ? 'nothing' : 'maybe';
}
