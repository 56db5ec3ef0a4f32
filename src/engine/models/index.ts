import { allKinds, type Kind } from '../../contract/kinds/all.ts';
import type { KindSpec } from '../../contract/kinds/spec.ts';
import type { Capabilities } from '../../contract/kinds/kind.ts';
import { type Account, accountKey } from '../db/service-store.ts';

/** The line of a model, or null if the reference says nothing about it. */
export function lineFor(model: string): ModelLine | null {
  return modelLines.find((line) => line.ids.test(model)) ?? null;
}

/** The kind that the start of a model's id proves; null if it proves none. */
export function kindOfModel(model: string): Kind | null {
  return prefixes.find(({ prefix }) => model.startsWith(prefix))?.kind ?? null;
}

const prefixes = allKinds.flatMap(({ kind, modelPrefix: prefix }: KindSpec<Kind>) =>
  prefix === undefined ? [] : [{ kind, prefix }],
);

const tellingWords: ReadonlyMap<string, Kind> = new Map(
  allKinds.flatMap(({ kind, modelWords }) => modelWords.map((word): [string, Kind] => [word, kind])),
);

/** A guess by the words in a model's id. Weak: a `kind` cell and the batch's own kind take precedence. */
export function guessedKind(model: string): Kind | null {
  for (const word of model.toLowerCase().split(/[^a-z]+/)) {
    const kind = tellingWords.get(word);
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Whether an id is one of these shapes, in which `*` matches any text. */
export function isOneOf(model: string, shapes: readonly string[]): boolean {
  return shapes.some((shape) => hasShape(model, shape));
}

function hasShape(model: string, shape: string): boolean {
  const [head = '', ...pieces] = shape.split('*');
  const tail = pieces.pop();
  if (tail === undefined) return model === shape;
  if (!model.startsWith(head) || !model.endsWith(tail)) return false;
  const end = model.length - tail.length;
  let from = head.length;
  for (const piece of pieces) {
    const found = model.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from <= end;
}

/** Weak: the reference mentions two pro/vip image models without their ids. */
export const PRO_OR_VIP = /(?:^|[^a-z])(?:pro|vip)(?:[^a-z]|$)/i;

/** The `duration` that a video model accepts, seconds. */
export interface DurationLimits {
  readonly min: number;
  readonly max: number;
  readonly integersOnly: boolean;
}

/**
 * A line of models as the reference describes it. A limit that it does not give is absent, and then nothing is refused.
 */
export interface ModelLine {
  readonly name: string;
  readonly ids: RegExp;
  readonly duration?: DurationLimits;
  readonly sizes?: readonly string[];
  /** Reference, "CL video line": a video reference must be an asset prepared for the model. */
  readonly preparedVideosOnly?: true;
}

const from4To15: DurationLimits = { min: 4, max: 15, integersOnly: false };
const from4To30: DurationLimits = { min: 4, max: 30, integersOnly: false };

/**
 * Reference, "CL video line" and "Limits". The ids of the CL and NT lines are from the reference. It names the SZ, GL
 * and AC lines without ids, so ours follow the same pattern. The first matching line counts. For the SG line the
 * reference has rules but no limits, so it is a setting (`assumed.sgModels`).
 */
const modelLines: readonly ModelLine[] = [
  // Lines whose capabilities the reference does not give.
  { name: 'AC', ids: /^vgen-\d\.\d-ac(-|$)/ },
  { name: 'CL-B', ids: /^vgen-2\.0-cl-b-(fast|mini)$/ },
  {
    name: 'CL',
    ids: /^vgen-2\.0-cl$/,
    duration: from4To15,
    sizes: ['480p', '720p', '1080p'],
    preparedVideosOnly: true,
  },
  {
    name: 'CL',
    ids: /^vgen-2\.0-cl-(fast|mini)$/,
    duration: from4To15,
    sizes: ['480p', '720p'],
    preparedVideosOnly: true,
  },
  { name: '2.5 CL', ids: /^vgen-2\.5-cl(-|$)/, duration: from4To30 },
  { name: '2.5 GL-A', ids: /^vgen-2\.5-gl-a(-|$)/, duration: from4To30 },
  { name: 'SZ 2.0', ids: /^vgen-2\.0-sz(-|$)/, duration: from4To15 },
  { name: 'SZ 2.5', ids: /^vgen-2\.5-sz(-|$)/, duration: from4To30 },
  { name: 'NT', ids: /^vgen-2\.0-nt(-fast)?$/, duration: { min: 4, max: 15, integersOnly: true } },
  { name: 'NT mini', ids: /^vgen-2\.0-nt-mini$/, duration: { min: 4, max: 4, integersOnly: true } },
];

/** The models that an account lists, by id, with what the service says about each. */
export type AccountModels = ReadonlyMap<string, Capabilities>;

export interface ListedModel {
  readonly id: string;
  readonly listed?: Capabilities | undefined;
}

export function toAccountModels(models: readonly ListedModel[]): AccountModels {
  return new Map(models.map(({ id, listed = {} }) => [id, listed]));
}

/**
 * The models that accounts listed last. It sends nothing: each command that asks the service stores the answer here.
 */
export class ListedModels {
  readonly #listed = new Map<string, AccountModels>();

  saw(account: Account, models: readonly ListedModel[]): void {
    this.#listed.set(accountKey(account), toAccountModels(models));
  }

  of(account: Account | null): AccountModels | undefined {
    return account === null ? undefined : this.#listed.get(accountKey(account));
  }
}

/**
 * Ids that the service's reference names in full ("CL video line", "NT line", "Images", "Generic tasks"). A person can
 * choose from them while the account's list is not available.
 */
export const modelsNamed: readonly string[] = [
  'vgen-2.0-cl',
  'vgen-2.0-cl-fast',
  'vgen-2.0-cl-mini',
  'vgen-2.0-cl-b-fast',
  'vgen-2.0-cl-b-mini',
  'vgen-2.0-nt',
  'vgen-2.0-nt-fast',
  'vgen-2.0-nt-mini',
];
