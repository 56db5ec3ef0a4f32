import type { Describer } from '../../../contract/describe.ts';
import type { Json } from '../../../contract/json.ts';
import { isObject, jobRefusalIn, textOf } from '../../api/answer.ts';

const MOST = 10;
const LONGEST = 20_000;

/** Fields that may contain a description. The reference does not show typography's answer. */
const NAMES = ['finalPrompt', 'descriptions', 'text', 'promptEn', 'prompt'];
/** The job-style response says under `description` what became of the request. */
const NAMES_BY: Readonly<Record<Describer, readonly string[]>> = { typo: ['description', ...NAMES], job: NAMES };
const WRAPPERS = ['properties', 'data', 'result', 'results', 'output'];

/** The descriptions in an answer, the best first; empty if there is none. */
export function readDescriptions(answer: Json | undefined, describer: Describer, depth = 0): string[] {
  if (depth > 4 || answer === undefined) return [];
  const read = (inner: Json) => readDescriptions(inner, describer, depth + 1);
  if (Array.isArray(answer)) return distinct(answer.flatMap(read));
  if (typeof answer === 'string') return depth === 0 ? [] : distinct([textOf(answer) ?? '']);
  if (!isObject(answer) || jobRefusalIn(answer)) return [];
  const inside = WRAPPERS.flatMap((name) =>
    isObject(answer[name]) || Array.isArray(answer[name]) ? (answer[name] as Json) : [],
  );
  const found = [
    ...inside.filter(isObject).flatMap(read),
    ...NAMES_BY[describer].flatMap((name) => (answer[name] === undefined ? [] : read(answer[name]))),
  ];
  return distinct(found);
}

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.trim().slice(0, LONGEST)).filter((text) => text !== ''))].slice(0, MOST);
