import type { Json, JsonObject } from '../../contract/json.ts';
import { isObject, textOf } from './answer.ts';

/** Words that say no. The reference shows only `bound`; a word that says nothing clear is not taken for a failure. */
const NOT_BOUND = /fail|error|reject|unbound|not[_ -]|missing|invalid|denied|unsupported|expired/i;

/** References at most that one answer is read for, and characters of the name of one. */
const MOST = 100;
const LONGEST = 200;

/**
 * The references of a task that the service says it did not bind (reference, "Task", `input_references`), each as a person
 * would name it: `@hero (reference_image)`. Null where it lists no references.
 */
export function unboundReferences(body: JsonObject): string[] | null {
  const inner = body['data'];
  const listed = body['input_references'] ?? (isObject(inner) ? inner['input_references'] : undefined);
  if (!Array.isArray(listed)) return null;
  return listed.slice(0, MOST).flatMap((reference, index) => (isUnbound(reference) ? [nameOf(reference, index)] : []));
}

function isUnbound(reference: Json): reference is JsonObject {
  return isObject(reference) && NOT_BOUND.test(textOf(reference['binding_status'])?.slice(0, LONGEST) ?? '');
}

function nameOf({ alias, role, type }: JsonObject, index: number): string {
  const named = textOf(alias);
  const kind = textOf(role) ?? textOf(type);
  const name = named === undefined ? `number ${index + 1}` : `@${named.replace(/^@/, '')}`;
  return (kind === undefined ? name : `${name} (${kind})`).slice(0, LONGEST);
}
