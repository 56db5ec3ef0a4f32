import type { Capabilities, Listable } from '../../contract/model.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { warning } from './rules.ts';
import type { Finding } from './rules.ts';

/** Values of a shot that the service does not list for its model. Its list may be short of something: a hint, no more. */
export function checkListedValues(shot: ShotSpec, listed: Capabilities): Finding[] {
  return compared(shot).flatMap(({ column, value, among }) => {
    const values = among.flatMap((what) => listed[what] ?? []).filter((each) => isAlike(each, value));
    if (values.length === 0 || values.some((each) => isAnything(each) || means(each, value))) return [];
    const problem = `This is not among what the service lists for ${shot.model}: ${inWords(values)}.`;
    return [warning(column, problem, 'Write a listed value, or leave this one if you know that the model takes it.')];
  });
}

interface Compared {
  readonly column: string;
  readonly value: string;
  readonly among: readonly Listable[];
}

function compared({ kind, params, extra }: ShotSpec): Compared[] {
  const { size, resolution, aspect_ratio, duration, operation = 'generate', response_format } = params;
  const cells: [column: string, value: unknown, among: readonly Listable[]][] = [
    // The size of a video is what others call its resolution.
    ['size', size, kind === 'video' ? ['size', 'resolution'] : ['size']],
    ['resolution', resolution, ['resolution']],
    ['aspect_ratio', aspect_ratio, ['aspect_ratio']],
    ['duration', duration === -1 ? undefined : duration, ['duration']],
    // What a model can do is listed for many: that an image model generates goes without saying.
    ['operation', operation === 'generate' ? undefined : operation, ['operation']],
    ['response_format', response_format, ['response_format']],
    ['param.output_format', extra['output_format'], ['output_format']],
  ];
  return cells.flatMap(([column, value, among]) =>
    typeof value === 'string' || typeof value === 'number' ? [{ column, value: String(value).trim(), among }] : [],
  );
}

const PIXELS = /^\d+ ?[x×*] ?\d+$/i;
const RATIO = /^\d+ ?[:/] ?\d+$/;
const RANGE = /^(\d+(?:\.\d+)?) ?[-~] ?(\d+(?:\.\d+)?) ?s?$/;

/** A list of pixels says nothing of 720p. */
function isAlike(listed: string, value: string): boolean {
  return isAnything(listed) || formOf(listed) === formOf(value);
}

function formOf(text: string): 'pixels' | 'ratio' | 'word' {
  return PIXELS.test(text) ? 'pixels' : RATIO.test(text) ? 'ratio' : 'word';
}

const isAnything = (listed: string): boolean => /^(?:any|all|custom)$/i.test(listed);

function means(listed: string, value: string): boolean {
  const range = RANGE.exec(listed);
  const seconds = Number(value);
  if (range !== null && !Number.isNaN(seconds)) return seconds >= Number(range[1]) && seconds <= Number(range[2]);
  return plain(listed) === plain(value);
}

/** `5s` and `5`, `1024×768` and `1024x768`, `16/9` and `16:9` are the same. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(' ', '')
    .replace(/[×*]/, 'x')
    .replace('/', ':')
    .replace(/^(\d+(?:\.\d+)?)s$/, '$1');

const MOST_TOLD = 12;

function inWords(values: readonly string[]): string {
  const told = values.slice(0, MOST_TOLD).join(', ');
  return values.length > MOST_TOLD ? `${told} and ${values.length - MOST_TOLD} more` : told;
}
