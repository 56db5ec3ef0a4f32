import type { Json } from '../../../contract/json.ts';
import { isObject, textOf } from '../../api/answer.ts';

const MOST = 10;
const LONGEST = 20_000;

/** Fields that may contain a description. The reference does not show typography's answer. */
const NAMES = ['finalPrompt', 'descriptions', 'description', 'text', 'promptEn', 'prompt'];
const WRAPPERS = ['properties', 'data', 'result', 'results', 'output'];

/** The descriptions in an answer, the best first; empty if there is none. */
export function readDescriptions(answer: Json | undefined, depth = 0): string[] {
  if (depth > 4 || answer === undefined) return [];
  if (Array.isArray(answer)) return distinct(answer.flatMap((item) => readDescriptions(item, depth + 1)));
  if (typeof answer === 'string') return depth === 0 ? [] : distinct([textOf(answer) ?? '']);
  if (!isObject(answer)) return [];
  const inside = WRAPPERS.flatMap((name) =>
    isObject(answer[name]) || Array.isArray(answer[name]) ? (answer[name] as Json) : [],
  );
  const found = [
    ...inside.filter(isObject).flatMap((each) => readDescriptions(each, depth + 1)),
    ...NAMES.flatMap((name) => (answer[name] === undefined ? [] : readDescriptions(answer[name], depth + 1))),
  ];
  return distinct(found);
}

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.trim().slice(0, LONGEST)).filter((text) => text !== ''))].slice(0, MOST);
