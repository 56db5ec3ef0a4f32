import type * as z from 'zod';
import type { AssetRole } from '../../contract/asset.ts';
import type { Json } from '../../contract/json.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ModelLine } from '../models/index.ts';

export type ShotDraft = Pick<ShotSpec, 'model' | 'prompt' | 'params' | 'extra'>;

/** One medium a shot names. */
export interface MediaUse {
  readonly column: string;
  readonly media: MediaType;
  /** URL, `Asset://id` or local path, as written. */
  readonly cell: string;
  /** `address`: the request carries an address, so a local file must be uploaded first. `file`: it carries the file. */
  readonly sentAs: 'address' | 'file';
  /** A larger file is not sent, bytes. */
  readonly maxBytes?: number;
  /** What an uploaded file is for: a role in the shot, or a purpose of the service. */
  readonly role: AssetRole | '';
  readonly purpose?: string;
}

export type RuleSettings = Pick<Settings, 'videoRoute' | 'assumed' | 'paths'>;

export interface RuleContext {
  readonly line: ModelLine | null;
  readonly media: readonly MediaUse[];
  readonly settings: RuleSettings;
  /** Aliases that any row of the list gives to a reference. */
  readonly aliases: ReadonlySet<string>;
}

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly column: string;
  readonly problem: Message;
  readonly remedy: Message;
}

/** The service's rules for one kind, over cells that are each valid by themselves. Pure: never looks at the disk. */
export interface KindRules {
  mediaOf(params: ShotSpec['params']): MediaUse[];
  check(shot: ShotDraft, context: RuleContext): Finding[];
  /** Schemas of the parameters that are JSON, by name. */
  readonly schemas?: Readonly<Record<string, z.ZodType<Json>>>;
  /** Whether a request has video input, which the service bills differently; false when absent. */
  hasVideoInput?(shot: Pick<ShotSpec, 'params'> & Partial<Pick<ShotSpec, 'extra'>>): boolean;
}

export function error(column: string, problem: Message, remedy: Message): Finding {
  return { severity: 'error', column, problem, remedy };
}

export function warning(column: string, problem: Message, remedy: Message): Finding {
  return { severity: 'warning', column, problem, remedy };
}

/** `what`: an operation, or the name of a kind. */
export const needs = (what: string | Message, column: string): Message =>
  messageFor('defect.needsColumn', { what, column });

export const takesNo = (what: string, column: string): Message => messageFor('defect.takesNo', { what, column });

export const promptNotSent = (what: string | Message): Finding =>
  warning('prompt', messageFor('defect.promptNotSent', { what }), messageFor('remedy.none'));

/** A shot cannot be sent while a path of its kind is not set: the reference does not show it. */
export function checkPaths({ kind, params }: Pick<ShotSpec, 'kind' | 'params'>, { paths }: RuleSettings): Finding[] {
  return kindSpecs[kind].paths
    .filter(({ name, neededBy }) => !paths[name] && (neededBy?.(params) ?? true))
    .map(({ name, label: path }) =>
      error('kind', messageFor('defect.pathNotShown', { path }), messageFor('remedy.setPathNamed', { path, name })),
    );
}
