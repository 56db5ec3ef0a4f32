import type { Json, JsonObject } from '../../../contract/json.ts';
import type { Capabilities, Listable } from '../../../contract/kinds/kind.ts';
import type { CallOptions } from '../calls.ts';
import type { RetryingGet } from '../reads.ts';
import { readModels } from '../wire-schemas.ts';
import { foldHeader } from '../../../contract/kinds/index.ts';
import { isObject } from '../answer.ts';

/** Free, and every service answers it, so `probe` uses it too. */
export const MODELS = '/v1/models';

/** A model of the account (reference, "Model"). */
export interface Model {
  readonly id: string;
  readonly ownedBy?: string;
  readonly listed?: Capabilities;
}

export function modelsResource(getAgain: RetryingGet) {
  return {
    /** Models of the account, in order. Up to `tries` (3) tries where it helps; throws the last `ServiceError`. */
    list: async (options?: CallOptions & { readonly tries?: number }): Promise<Model[]> => {
      const models = await getAgain(MODELS, readModels, options);
      return models.map((model) => {
        const { id, owned_by: ownedBy } = model;
        const listed = readCapabilities(model as JsonObject);
        return { id, ...(ownedBy && { ownedBy }), ...(Object.keys(listed).length > 0 && { listed }) };
      });
    },
  };
}

/**
 * What a model record says about the model besides its id. The reference says that this is listed, but not how
 * ("Images"), so we look for lists under every plausible name, at the top or in a container. A list that cannot be read
 * completely is left out: half a list would report good values as unlisted.
 */
export function readCapabilities(model: JsonObject): Capabilities {
  const found = new Map<Listable, string[] | null>();
  let read = 0;
  for (const [name, value] of statementsIn(model, 0)) {
    read += 1;
    if (read > MAX_STATEMENTS) return {};
    const what = names.get(name) ?? 'operation';
    const values = what === 'operation' ? operationsIn(name, value) : toValues(value);
    if (values === undefined) continue;
    const before = found.get(what);
    found.set(what, values === null || before === null ? null : [...new Set([...(before ?? []), ...values])]);
  }
  return Object.fromEntries([...found].filter(([, values]) => values !== null && values.length <= MAX_VALUES));
}

const MAX_STATEMENTS = 500;
const MAX_VALUES = 100;
const MAX_VALUE = 40;
const DEEPEST = 4;

/** Names in the form that `plainName` returns. */
const names: ReadonlyMap<string, Listable> = new Map([
  ['size', 'size'],
  ['imagesize', 'size'],
  ['videosize', 'size'],
  ['resolution', 'resolution'],
  ['aspectratio', 'aspect_ratio'],
  ['ratio', 'aspect_ratio'],
  ['duration', 'duration'],
  ['durationsecond', 'duration'],
  ['second', 'duration'],
  ['responseformat', 'response_format'],
  ['outputformat', 'output_format'],
]);

const listsOfOperations: ReadonlySet<string> = new Set(['operation', 'capabilitie', 'feature', 'endpointtype']);

/** Objects of a record that may contain such lists. Prices and defaults do not. */
const containers: ReadonlySet<string> = new Set([
  ...['capabilitie', 'capability', 'support', 'supported', 'feature', 'operation'],
  ...['parameter', 'limit', 'constraint', 'metadata'],
]);

/** `supported_sizes`, `Sizes` and `size` become one name. */
const plainName = (key: string): string =>
  foldHeader(key.slice(0, MAX_VALUE))
    .replace(/^(?:supported|supports|allowed|available)(?=.)/, '')
    .replace(/s$/, '');

/** All named values of a record: its own fields and those of its containers, however they are nested. */
function* statementsIn(value: Json, depth: number): Generator<[name: string, value: Json]> {
  for (const [key, inner] of entriesFor(value)) {
    const name = plainName(key);
    yield [name, inner];
    if (depth < DEEPEST && (depth > 0 || containers.has(name))) yield* statementsIn(inner, depth + 1);
  }
}

/** Also handles `[{ "name": "size", "values": […] }]`. */
function* entriesFor(value: Json): Generator<[string, Json]> {
  if (isObject(value)) for (const key in value) yield [key, value[key] ?? null];
  if (!Array.isArray(value)) return;
  for (const item of value) {
    const key = isObject(item) ? (item['name'] ?? item['type']) : undefined;
    if (typeof key === 'string') yield [key, item];
  }
}

/** The listed values; null if any of them cannot be read, undefined if nothing is listed. */
function toValues(value: Json): string[] | null | undefined {
  const values = listIn(value);
  if (values === undefined || values.length === 0) return undefined;
  if (values.length > MAX_VALUES) return null;
  const texts = values.map(textOfValue);
  return texts.every((text) => text !== null) ? texts : null;
}

/** A list, a list inside an object, a range such as `4-15`, or the names that are true. */
function listIn(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const inner = ['values', 'enum', 'options', 'allowed', 'supported'].map((key) => value[key]).find(Array.isArray);
  if (inner !== undefined) return inner;
  const { min, max } = value;
  if (typeof min === 'number' && typeof max === 'number') return [`${min}-${max}`];
  const entries = Object.entries(value);
  if (!entries.every(([, each]) => typeof each === 'boolean')) return undefined;
  return entries.filter(([, each]) => each).map(([key]) => key);
}

function textOfValue(value: Json): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value.length > MAX_VALUE) return null;
  const text = value.trim();
  return /^[\p{L}\p{N}][\p{L}\p{N} ._:/×*~-]*$/u.test(text) ? text : null;
}

/** `capabilities: ["generate", "edit"]` or `edit: true`. A list without any of these words is about something else. */
function operationsIn(name: string, value: Json): string[] | undefined {
  if (typeof value === 'boolean') {
    const operation = operationNamed(name);
    return operation === null ? undefined : ['generate', ...(value ? [operation] : [])];
  }
  const listed = listsOfOperations.has(name) && Array.isArray(value) ? toValues(value) : null;
  const operations = (listed ?? []).map(operationNamed).filter((operation) => operation !== null);
  return operations.length === 0 ? undefined : operations;
}

/** The reference's word for an operation, also `image-edit`. `image-generation` names an endpoint, which may edit. */
function operationNamed(word: string): 'generate' | 'edit' | 'variation' | null {
  const name = foldHeader(word);
  if (/^generat(?:e|ion)s?$/.test(name)) return 'generate';
  if (/^(?:images?[./]?)?edit(?:s|ing)?$/.test(name)) return 'edit';
  return /^(?:images?[./]?)?variations?$/.test(name) ? 'variation' : null;
}
