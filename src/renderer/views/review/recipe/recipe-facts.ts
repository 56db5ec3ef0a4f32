import { t, sayText } from '../../../../contract/messages/words.ts';
import type { TakeDetails } from '../../../../contract/review.ts';
import type { Cost } from '../../../../contract/failure.ts';
import type { Json } from '../../../../contract/json.ts';
import { type MediaFacts, startTimecode } from '../../../../contract/media-facts.ts';
import { perSecond } from '../../../../contract/rate.ts';
import { kindSpecs } from '../../../../contract/kinds/index.ts';
import type { Kind } from '../../../../contract/kinds/kind.ts';
import type { Parameter } from '../../../../contract/kinds/spec.ts';
import { numberText } from '../../../lib/format.ts';

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

/** `23.976 fps · 96 frames · 1920 × 1080 · 48 kHz stereo`. Pure. */
export function fileFacts(facts: MediaFacts): string {
  const { rate, frames, isVariable, width, height, channels, sampleRate } = facts;
  const fps = rate && { rate: numberText(Math.round(perSecond(rate) * 1000) / 1000) };
  const start = startTimecode(facts);
  const all = [
    fps && (isVariable ? t('review.fileRateVaries', fps) : t('review.fileRate', fps)),
    frames !== undefined && t('review.fileFrames', { count: frames }),
    width && height && t('review.fileSize', { width: String(width), height: String(height) }),
    channels && sampleRate && t('review.fileSound', { rate: numberText(sampleRate / 1000), channels }),
    start !== undefined && t('review.fileStart', { timecode: start }),
  ];
  return all.filter(Boolean).join(' · ');
}

/** Whether the service charges for it, as far as anybody can know. Pure. */
export function toCost({ take, recipe }: TakeDetails): Cost {
  if (take.failure) return take.failure.cost;
  if (recipe.taskId !== undefined || take.outputs.length > 0) return 'charged';
  return recipe.attemptId === undefined ? 'nothing' : 'maybe';
}

/** What differs between takes, for each of them: model, settings and the part of the prompt. Pure. */
export function toDifferences(takes: readonly TakeDetails[]): readonly Fact[][] {
  const prompts = differingParts(takes.map(({ recipe: { shot } }) => shot.prompt ?? ''));
  const facts = takes.map(
    (details, at) =>
      new Map([
        [t('common.model'), details.take.model],
        ...toSettings(details).map(({ label, value }) => [label, value] as const),
        [t('common.prompt'), prompts[at] ?? ''],
      ]),
  );
  const labels = [...new Set(facts.flatMap((known) => [...known.keys()]))].filter(
    (label) => new Set(facts.map((known) => known.get(label) ?? '')).size > 1,
  );
  return facts.map((known) => labels.map((label) => ({ label, value: known.get(label) || '–' })));
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Each text without the words that all begin and end with. Pure. */
export function differingParts(texts: readonly string[]): readonly string[] {
  const all = texts.map((text) => Array.from(words.segment(text), ({ segment }) => segment));
  const [first = []] = all;
  const shortest = Math.min(first.length, ...all.map((one) => one.length));
  let start = 0;
  while (start < shortest && all.every((one) => one[start] === first[start])) start += 1;
  let end = 0;
  while (end < shortest - start && all.every((one) => one.at(-1 - end) === first.at(-1 - end))) end += 1;
  return all.map((words) => {
    const part = words
      .slice(start, words.length - end)
      .join('')
      .trim();
    if (part === '') return '';
    return `${start > 0 ? '…' : ''}${part}${end > 0 ? '…' : ''}`;
  });
}
