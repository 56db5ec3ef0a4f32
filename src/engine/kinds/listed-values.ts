import type { Json } from '../../contract/json.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import { type Parameter } from '../../contract/kinds/spec.ts';
import { Listable, type Capabilities } from '../../contract/kinds/kind.ts';
import { messageFor } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { warning, type Finding } from './rules.ts';

const MAX_SHOWN = 12;

/** Values of a shot that the service does not list for its model. The list may be incomplete: a hint, no more. */
export function checkListedValues(shot: ShotSpec, listed: Capabilities): Finding[] {
  return compared(shot).flatMap(({ column, value, among }) => {
    const values = among.flatMap((what) => listed[what] ?? []).filter((each) => isAlike(each, value));
    if (values.length === 0 || values.some((each) => ANYTHING.test(each) || means(each, value))) return [];
    const [shown, more] = [values.slice(0, MAX_SHOWN), Math.max(0, values.length - MAX_SHOWN)];
    const problem = messageFor('defect.notListed', { model: shot.model, values: shown, more });
    return [warning(column, problem, messageFor('remedy.writeListed'))];
  });
}

interface Compared {
  readonly column: string;
  readonly value: string;
  readonly among: readonly Listable[];
}

/** A list of values is for the column of that name, or of that alias: the size of a video is its resolution. */
function compared({ kind, params, extra }: ShotSpec): Compared[] {
  const cells = kindSpecs[kind].parameters.map((parameter) => ({
    column: parameter.name,
    value: says(parameter, params[parameter.name]),
    among: Listable.options.filter((what) => [parameter.name, ...parameter.aliases].includes(what)),
  }));
  const format = { column: 'param.output_format', value: extra['output_format'], among: ['output_format'] as const };
  return [...cells, format].flatMap(({ column, value, among }) =>
    (typeof value === 'string' || typeof value === 'number') && among.length > 0
      ? [{ column, value: String(value).trim(), among }]
      : [],
  );
}

/** The value of a parameter to look up in the list; undefined for one that needs no listing. */
function says(parameter: Parameter, value: Json | undefined): Json | undefined {
  if ('special' in parameter && parameter.special?.some((special) => special === value)) return undefined;
  // Every image model generates, so lists need not say it.
  return parameter.name === 'operation' && value === 'generate' ? undefined : value;
}

const ANYTHING = /^(?:any|all|custom)$/i;
const PIXELS = /^\d+ ?[x×*] ?\d+$/i;
const RATIO = /^\d+ ?[:/] ?\d+$/;
const RANGE = /^(\d+(?:\.\d+)?) ?[-~] ?(\d+(?:\.\d+)?) ?s?$/;

/** A list of pixels says nothing of 720p. */
function isAlike(listed: string, value: string): boolean {
  return ANYTHING.test(listed) || toForm(listed) === toForm(value);
}

function toForm(text: string): 'pixels' | 'ratio' | 'word' {
  return PIXELS.test(text) ? 'pixels' : RATIO.test(text) ? 'ratio' : 'word';
}

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
